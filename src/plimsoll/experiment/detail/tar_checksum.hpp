#pragma once

#include <cstddef>
#include <span>
#include <string_view>

// The little that is needed of tar headers to make up for checksums that were written wrongly.
namespace plimsoll::experiment::detail {

constexpr std::size_t tar_block_size = 512;

/// Name that a block gives if it is the header of a member, else empty.
[[nodiscard]] std::string_view tar_member_name(std::string_view block);

/// Whether a header's checksum is that of its bytes.
[[nodiscard]] bool has_right_checksum(std::string_view header);

/// Gives a header the checksum of its bytes.
void set_checksum(std::span<char> header);

}  // namespace plimsoll::experiment::detail
