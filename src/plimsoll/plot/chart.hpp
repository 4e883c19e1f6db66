#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plimsoll/plot/axis.hpp"

namespace plimsoll::plot {

/// A measurement, with its least and largest repetition.
struct Mark {
    double x = 0.0;
    double value = 0.0;
    double low = 0.0;
    double high = 0.0;
};

/// A model along one parameter, with its band, and what was measured of the same.
struct Curve {
    std::string name;           ///< what the other parameters are, empty where there are none
    std::vector<double> x;      ///< rising
    std::vector<double> value;  ///< [x]; not a number where the model has none
    std::vector<double> low;    ///< [x], of the band; equal to the value where there is none
    std::vector<double> high;   ///< [x]
    std::vector<Mark> marks;
};

/// What is to be drawn of a region.
struct Chart {
    std::string title;
    std::string subtitle;  ///< smaller below it, such as the formula; may be empty
    std::string band;      ///< what the band is: "90 % interval"; empty where there is none
    Axis x;
    Axis y;
    std::vector<Curve> curves;
    std::optional<double> measured_to;  ///< largest measured value of x: beyond it lies extrapolation
};

/// Smallest and largest of all that is to be drawn, for the axis of values; on a logarithmic scale of what is
/// above 0. Bands count as far as `most` times the largest value, so that a wide one does not flatten all
/// else. Empty where nothing has a place.
struct Range {
    double smallest = 0.0;
    double largest = 0.0;
};
[[nodiscard]] std::optional<Range> range_of(const std::vector<Curve>& curves, Scale scale, double most);

}  // namespace plimsoll::plot
