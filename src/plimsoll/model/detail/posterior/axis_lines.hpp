#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/core/vectorised.hpp"
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
    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    /// Whether some value lies below an earlier one of its line by more than `deviations` times the deviation
    /// of a difference, at the given relative variance of a value. `values` is [points].
    [[nodiscard]] bool falls(std::span<const double> values, double relative_variance,
                             double deviations) const;
    /// Weighted residual sums of squares of all lines, for each function; `values` and `weights` are
    /// [points]. Nothing sensible for functions that are not usable.
    [[nodiscard]] std::span<const double> rss(std::span<const double> values,
                                              std::span<const double> weights);

  private:
    PLIMSOLL_VECTORISED void add_line(std::span<const std::size_t> line, const double* values,
                                      const double* weights);

    std::vector<std::vector<std::size_t>> lines_;  ///< points of each, in rising order
    std::size_t functions_ = 0;
    std::vector<std::size_t> position_;  ///< of each point's coordinate among the distinct ones
    std::vector<double> functions_at_;   ///< [distinct coordinates x functions]
    std::vector<double> sums_;           ///< of a line: t, then t t, then t y; [3 x functions]
    std::vector<double> rss_;
};

}  // namespace plimsoll::model::detail
