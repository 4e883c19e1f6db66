#include "plimsoll/experiment/detail/excerpt.hpp"

#include <algorithm>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

/// Bytes of the character that a text begins with, 0 where it cannot be printed.
std::size_t printable_length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    return first < 0x20 || first == 0x7F ? 0 : utf8_length(text, 0);
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
