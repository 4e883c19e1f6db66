#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/options.hpp"

namespace plimsoll::model::detail {

/// Which measurements make the model along one parameter, for one layout of points.
struct AxisPlan {
    std::vector<double> x;                           ///< values of the parameter, in order of appearance
    std::vector<std::vector<std::size_t>> averaged;  ///< for each of them, the measurements that are averaged

    /// The values to be modelled, [x], from those of all measurements.
    void gather(std::span<const double> values, std::vector<double>& axis_values) const;
};

/// Plans for every parameter. `points` is [measurements x parameters], row-major, each point once.
///
/// A line is the set of points that differ in one parameter only. `longest` takes the lines with most points
/// and, of those, the ones that have the first line's first value; `smallest` takes one line at the smallest
/// values of the other parameters. Both as Extra-P does.
[[nodiscard]] std::vector<AxisPlan> plan_axes(std::span<const double> points, std::size_t parameters,
                                              AxisPoints choice);

}  // namespace plimsoll::model::detail
