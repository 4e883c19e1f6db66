#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::checkpoint::detail {

/// Bytes that one checksum of a pack covers; the last chunk may be shorter.
inline constexpr std::uint64_t chunk_bytes = std::uint64_t{4} << 20;

/// XXH3, 64 bits, without a seed.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);
[[nodiscard]] std::uint64_t checksum(std::string_view text);

/// 16 hexadecimal digits, the highest first.
[[nodiscard]] std::string hex(std::uint64_t value);
/// Empty where the text is not exactly that.
[[nodiscard]] std::optional<std::uint64_t> from_hex(std::string_view text);

/// 32 random hexadecimal digits.
[[nodiscard]] std::string random_id();

}  // namespace plimsoll::checkpoint::detail
