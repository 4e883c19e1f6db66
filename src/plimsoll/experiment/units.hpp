#pragma once

#include <optional>
#include <string_view>

namespace plimsoll::experiment {

/// What a value in one unit is multiplied by to be in another: 1000 from `s` to `ms`. Empty where a unit is
/// not known or the two measure different things. Known are times (ns to d), sizes (B, kB, KiB ...), energies
/// (J, Wh ...) and powers (W ...).
[[nodiscard]] std::optional<double> unit_factor(std::string_view from, std::string_view to);

}  // namespace plimsoll::experiment
