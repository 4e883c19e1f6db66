#include "plimsoll/plot/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plimsoll::plot {

std::optional<Range> range_of(const std::vector<Curve>& curves, Scale scale, double most) {
    Range range{.smallest = std::numeric_limits<double>::infinity(),
                .largest = -std::numeric_limits<double>::infinity()};
    const auto add = [&](double value) {
        if (!std::isfinite(value) || (scale == Scale::logarithmic && value <= 0.0)) return;
        range.smallest = std::min(range.smallest, value);
        range.largest = std::max(range.largest, value);
    };
    for (const Curve& curve : curves) {
        for (const double value : curve.value) add(value);
        for (const Mark& mark : curve.marks) {
            for (const double value : {mark.value, mark.low, mark.high}) add(value);
        }
    }
    if (!(range.smallest <= range.largest)) return {};
    const double size = std::max(std::abs(range.smallest), std::abs(range.largest));
    const double least_shown = scale == Scale::logarithmic ? range.smallest / most : -most * size;
    const double most_shown = most * size;
    for (const Curve& curve : curves) {
        for (const double value : curve.low) add(std::max(value, least_shown));
        for (const double value : curve.high) add(std::min(value, most_shown));
    }
    return range;
}

}  // namespace plimsoll::plot
