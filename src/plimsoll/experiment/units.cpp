#include "plimsoll/experiment/units.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::experiment {

namespace {

enum class Quantity { time, size, energy, power };

struct Unit {
    std::string_view name;
    Quantity quantity;
    double in_base;  ///< in s, B, J or W
};

using enum Quantity;
constexpr std::array units{
    Unit{"s", time, 1.0},
    Unit{"sec", time, 1.0},
    Unit{"seconds", time, 1.0},
    Unit{"ms", time, 1e-3},
    Unit{"us", time, 1e-6},
    Unit{"\u00b5s", time, 1e-6},  // the micro sign
    Unit{"\u03bcs", time, 1e-6},  // the Greek letter
    Unit{"ns", time, 1e-9},
    Unit{"min", time, 60.0},
    Unit{"h", time, 3600.0},
    Unit{"d", time, 86400.0},
    Unit{"B", size, 1.0},
    Unit{"bytes", size, 1.0},
    Unit{"kB", size, 1e3},
    Unit{"KB", size, 1e3},
    Unit{"MB", size, 1e6},
    Unit{"GB", size, 1e9},
    Unit{"TB", size, 1e12},
    Unit{"KiB", size, 1024.0},
    Unit{"MiB", size, 1048576.0},
    Unit{"GiB", size, 1073741824.0},
    Unit{"TiB", size, 1099511627776.0},
    Unit{"J", energy, 1.0},
    Unit{"mJ", energy, 1e-3},
    Unit{"kJ", energy, 1e3},
    Unit{"MJ", energy, 1e6},
    Unit{"Wh", energy, 3600.0},
    Unit{"kWh", energy, 3.6e6},
    Unit{"W", power, 1.0},
    Unit{"mW", power, 1e-3},
    Unit{"kW", power, 1e3},
    Unit{"MW", power, 1e6},
};

const Unit* find(std::string_view name) {
    const auto* const found =
        std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
    return found == units.end() ? nullptr : &*found;
}

}  // namespace

std::optional<double> unit_factor(std::string_view from, std::string_view to) {
    const Unit* const source = find(from);
    const Unit* const target = find(to);
    if (source == nullptr || target == nullptr || source->quantity != target->quantity) return std::nullopt;
    return source->in_base / target->in_base;
}

}  // namespace plimsoll::experiment
