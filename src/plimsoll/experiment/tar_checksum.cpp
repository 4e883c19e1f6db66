#include "plimsoll/experiment/detail/tar_checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

// Fields of a header, from POSIX.1-1988 (ustar).
constexpr std::size_t name_size = 100;
constexpr std::size_t checksum_at = 148;
constexpr std::size_t checksum_size = 8;
constexpr std::size_t magic_at = 257;

/// Sum of all bytes, with blanks in place of the checksum.
unsigned checksum_of(std::string_view header) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const bool is_checksum = i >= checksum_at && i < checksum_at + checksum_size;
        sum += is_checksum ? unsigned{' '} : static_cast<unsigned char>(header[i]);
    }
    return sum;
}

}  // namespace

std::string_view tar_member_name(std::string_view block) {
    if (block.size() != tar_block_size || block.substr(magic_at, 5) != "ustar") return {};
    const std::string_view field = block.substr(0, name_size);
    return field.substr(0, std::min(field.find('\0'), name_size));
}

bool has_right_checksum(std::string_view header) {
    std::string_view field = header.substr(checksum_at, checksum_size);
    field = trim(field.substr(0, field.find('\0')));
    unsigned stored = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), stored, 8);
    return error == std::errc{} && end == field.data() + field.size() && stored == checksum_of(header);
}

void set_checksum(std::span<char> header) {
    const unsigned sum = checksum_of({header.data(), header.size()});
    std::array<char, checksum_size> field{'0', '0', '0', '0', '0', '0', '\0', ' '};
    fmt::format_to_n(field.data(), 6, "{:06o}", sum);
    std::ranges::copy(field, header.begin() + checksum_at);
}

}  // namespace plimsoll::experiment::detail
