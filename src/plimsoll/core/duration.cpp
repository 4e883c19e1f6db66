#include "plimsoll/core/duration.hpp"

#include <array>
#include <cctype>
#include <cmath>

#include "plimsoll/core/text.hpp"

namespace plimsoll {

std::optional<Seconds> parse_duration(std::string_view text) {
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

}  // namespace plimsoll
