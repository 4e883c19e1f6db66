#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace plimsoll::experiment::detail {

/// A unit as Cube and Extra-P 3 spell it, in our spelling; a plain number and an unknown unit have none.
inline std::string_view unit_from_cube(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> units{
        {{"sec", "s"}, {"bytes", "B"}, {"occ", ""}, {"#", ""}, {"unknown", ""}}};
    const auto* const found =
        std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == unit; });
    return found == units.end() ? unit : found->second;
}

}  // namespace plimsoll::experiment::detail
