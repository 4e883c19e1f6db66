#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll::app {

/// What the stops of one parameter have to hold.
struct AxisRequest {
    std::vector<double> measured;  ///< distinct values, rising; not empty
    double target = 0.0;           ///< is a stop as well
    double furthest = 0.0;         ///< stops go on so far beyond the measured values
    std::size_t most = 64;         ///< stops; ends, largest measured value and target are there in any case
};

/// Values of a parameter at which a report knows every model, rising: the measured ones and the target, then
/// those that halve the widest gaps. Between two stops curves are drawn straight, on logarithmic axes where
/// all values are above zero. Whole numbers where all measured values are.
[[nodiscard]] std::vector<double> axis_stops(const AxisRequest& request);

}  // namespace plimsoll::app
