#pragma once

#include "plimsoll/plot/chart.hpp"
#include "plimsoll/plot/detail/pen.hpp"

namespace plimsoll::plot::detail {

/// Of a picture, in points of print.
struct Extent {
    double width = 0.0;
    double height = 0.0;
};

/// `wanted`, grown where the chart's names and numbers would leave no room for curves.
[[nodiscard]] Extent least_extent(const Pen& pen, const Chart& chart, const Extent& wanted);

/// Draws a chart into a rectangle from (0, 0) to (`width`, `height`), in points of print: title, legend,
/// axes, bands, curves and measurements.
void draw(const Pen& pen, const Chart& chart, double width, double height);

}  // namespace plimsoll::plot::detail
