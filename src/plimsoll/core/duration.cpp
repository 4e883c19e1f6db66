#include "plimsoll/core/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll {

namespace {

/// However long it is.
std::optional<Seconds> any_duration(std::string_view text) {
    struct Unit {
        std::string_view name;
        double seconds;
    };
    constexpr std::array units{Unit{"ms", 1e-3}, Unit{"s", 1.0}, Unit{"min", 60.0}, Unit{"h", 3600.0},
                               Unit{"d", 86400.0}};
    std::size_t end = text.size();
    while (end > 0 && std::isalpha(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    const auto number = parse_number(trim(text.substr(0, end)));
    if (!number || !std::isfinite(*number) || *number <= 0.0) return std::nullopt;
    for (const Unit& unit : units) {
        if (unit.name == text.substr(end)) return Seconds(*number * unit.seconds);
    }
    return std::nullopt;
}

}  // namespace

std::optional<Seconds> parse_duration(std::string_view text) {
    const auto duration = any_duration(text);
    return duration && *duration <= longest_duration ? duration : std::nullopt;
}

Seconds duration_of(std::string_view flag, std::string_view text) {
    const auto duration = any_duration(text);
    if (!duration) {
        throw Error(ErrorKind::usage, fmt::format("{}: '{}' is no time", flag, text),
                    "write a number with its unit: 90s, 10min, 2h, 1d");
    }
    if (*duration > longest_duration) {
        throw Error(ErrorKind::usage, fmt::format("{}: '{}' is longer than 100 years", flag, text),
                    "give a shorter time");
    }
    return *duration;
}

}  // namespace plimsoll
