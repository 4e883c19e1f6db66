#include "plimsoll/core/byte_size.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

#include "plimsoll/core/text.hpp"

namespace plimsoll {

namespace {

constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};

}  // namespace

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0 && std::isalpha(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    const auto number = parse_number(trim(text.substr(0, end)));
    const std::string unit = lower_case(text.substr(end));
    constexpr double largest = 9e18;
    if (!number || !(*number >= 0.0)) return std::nullopt;
    double thousand = 1.0;
    double binary = 1.0;
    for (const std::string_view prefix : prefixes) {
        const std::string small = lower_case(prefix);
        const bool by_thousand = unit == small + "b";
        if (by_thousand || unit == small + "ib") {
            const double bytes = *number * (by_thousand ? thousand : binary);
            return bytes < largest ? std::optional(std::llround(bytes)) : std::nullopt;
        }
        thousand *= 1000.0;
        binary *= 1024.0;
    }
    return std::nullopt;
}

std::string byte_size_text(double bytes) {
    std::size_t prefix = 0;
    while (bytes >= 999.5 && prefix + 1 < prefixes.size()) {
        bytes /= 1000.0;
        ++prefix;
    }
    return fmt::format("{:.3g} {}B", bytes, prefixes[prefix]);
}

}  // namespace plimsoll
