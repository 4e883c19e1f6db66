#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/axis_functions.hpp"

namespace plimsoll::model::detail {

/// The lines of points along one parameter, all others fixed, with three points or more.
///
/// Whatever the dependence on the other parameters, along a line a form with one function t of this parameter
/// is a + b t. So the residuals of all lines, each with coefficients of its own, are a lower bound of those
/// of any such form, and a function whose bound is too high can be left out.
class AxisLines {
  public:
    AxisLines(std::span<const double> points, std::size_t parameters, const AxisTable& table);

    [[nodiscard]] bool empty() const { return lines_.empty(); }
    /// Whether some value lies below an earlier one of its line by more than `deviations` times the deviation
    /// of a difference, at the given relative variance of a value. `values` is [points].
    [[nodiscard]] bool falls(std::span<const double> values, double relative_variance,
                             double deviations) const;
    /// Weighted residual sum of squares of all lines for one function; `values` and `weights` are [points].
    [[nodiscard]] double rss(FunctionId f, std::span<const double> values,
                             std::span<const double> weights) const;

  private:
    const AxisTable* table_;
    std::vector<std::vector<std::size_t>> lines_;  ///< points of each, in rising order
};

}  // namespace plimsoll::model::detail
