#pragma once

#include <cstddef>
#include <span>

namespace plimsoll::numeric {

/// What is told of a set of values, in their unit.
struct Summary {
    double mean = 0.0;
    double median = 0.0;  ///< mean of the two middle values where their number is even
    double minimum = 0.0;
    double maximum = 0.0;
    double deviation = 0.0;  ///< standard deviation with divisor n (of the population, as Extra-P's)
};

/// Summary of one or more finite values. The values may be reordered.
[[nodiscard]] Summary summarize(std::span<double> values);

/// As above, without reordering; copies where there are more than a few.
[[nodiscard]] Summary summarize(std::span<const double> values);

/// Arithmetic mean; 0 of no values.
[[nodiscard]] double mean(std::span<const double> values);

}  // namespace plimsoll::numeric
