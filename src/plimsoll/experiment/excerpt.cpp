#include "plimsoll/experiment/detail/excerpt.hpp"

#include <algorithm>

namespace plimsoll::experiment::detail {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the character that a text begins with, 0 where it cannot be printed.
std::size_t printable_length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x80) return first < 0x20 || first == 0x7F ? 0 : 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    const bool is_whole = first >= 0xC2 && first <= 0xF4 && text.size() >= length &&
                          std::ranges::all_of(text.substr(1, length - 1), continues_character);
    return is_whole ? length : 0;
}

}  // namespace

std::string excerpt(std::string_view text) {
    constexpr std::size_t longest = 40;
    const bool is_cut = text.size() > longest;
    std::string piece;
    while (!text.empty()) {
        const std::size_t length = printable_length(text);
        const std::size_t bytes = std::max<std::size_t>(length, 1);
        if (is_cut && piece.size() + bytes > longest - 3) break;
        piece += length > 0 ? text.substr(0, length) : "?";
        text.remove_prefix(bytes);
    }
    return is_cut ? piece + "..." : piece;
}

}  // namespace plimsoll::experiment::detail
