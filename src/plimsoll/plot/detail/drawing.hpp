#pragma once

#include "plimsoll/plot/chart.hpp"
#include "plimsoll/plot/detail/pen.hpp"

namespace plimsoll::plot::detail {

/// Draws a chart into a rectangle from (0, 0) to (`width`, `height`), in points of print: title, legend,
/// axes, bands, curves and measurements.
void draw(const Pen& pen, const Chart& chart, double width, double height);

}  // namespace plimsoll::plot::detail
