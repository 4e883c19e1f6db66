#pragma once

#include <span>

namespace plimsoll::numeric {

/// Standard deviation of values of which some may be far off: their median distance from their median, times
/// what makes it right on average for independent normal values. Not a number for fewer than two.
///
/// Source: Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale",
/// Computational Statistics 1, 1992, for the factors of few values.
[[nodiscard]] double robust_deviation(std::span<const double> values);

}  // namespace plimsoll::numeric
