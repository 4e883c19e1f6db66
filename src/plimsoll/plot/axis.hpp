#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::plot {

enum class Scale { linear, logarithmic };

/// One axis of a chart, from `low` to a larger `high`; on a logarithmic one both are above 0.
struct Axis {
    std::string title;
    double low = 0.0;
    double high = 1.0;
    Scale scale = Scale::linear;
    std::vector<double> ticks;  ///< rising, within the axis
};

/// Where a value stands, from 0 at the low end to 1 at the high end; beyond these outside the axis. Not a
/// number where the value has no logarithm.
[[nodiscard]] double place(const Axis& axis, double value);

/// The value at a place: the reverse of `place`.
[[nodiscard]] double value_at(const Axis& axis, double place);

/// Values that a person expects beside an axis, at most `most` (two at least), within [low, high]: on a
/// linear one 1, 2 or 5 times a power of ten apart; on a logarithmic one powers of ten, with their double and
/// fivefold between them where there is room, and as on a linear one where less than a factor of ten is
/// shown.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, Scale scale, std::size_t most);

/// Of rising candidates those whose places lie at least `apart` from one another. The last one stays, then
/// the first, then those in between from the low end on.
[[nodiscard]] std::vector<double> spread_ticks(const Axis& axis, std::span<const double> candidates,
                                               double apart);

/// The logarithmic scale where values above 0 range over more than a factor of eight, else the linear one.
[[nodiscard]] Scale usual_scale(double smallest, double largest);

/// A tick's value with the digits that tell it from its neighbours: "4096", "0.15", "2e+06".
[[nodiscard]] std::string tick_text(double value);

}  // namespace plimsoll::plot
