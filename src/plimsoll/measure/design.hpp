#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/measure/parameter.hpp"

namespace plimsoll::measure {

/// Which combinations of the parameters' values are measured.
enum class Design {
    grid,  ///< all
    lines  ///< a line along each parameter, and for each two of them one point that tells how they interact
};
[[nodiscard]] constexpr std::array<EnumName<Design>, 2> enum_names(Design) {
    return {{{Design::grid, "grid"}, {Design::lines, "lines"}}};
}

/// One combination: a value for each parameter.
using Point = std::vector<Value>;

/// The points of an experiment, and the names of their parameters.
struct Points {
    std::vector<std::string> names;
    std::vector<Point> points;
};

/// The points of a design. In a grid the last parameter varies fastest. Lines run through the smallest value
/// of every parameter; behind them stands, for each two parameters, the point with both at their largest
/// value and the others at their smallest. That is 5 m - (m - 1) + m (m - 1) / 2 points for m parameters of 5
/// values: 10 in place of 25, 16 in place of 125.
///
/// Lines alone cannot tell a sum of two effects from their product; Ritter et al., "Learning Cost-Effective
/// Sampling Strategies for Empirical Performance Modeling", IPDPS 2020, add at least one point off the lines.
/// Throws a usage error for parameters of one name, and for more than a million points.
[[nodiscard]] Points design_points(std::span<const ParameterValues> parameters, Design design);

/// Points from a file: a CSV table with the parameters' names in its first line, or JSON lines such as
/// {"n": 1000, "threads": 2}. Throws an input error that names the line.
[[nodiscard]] Points read_points(const std::string& path);

/// "n=1000, threads=2", as the values were written.
[[nodiscard]] std::string describe(const std::vector<std::string>& names, const Point& point);

}  // namespace plimsoll::measure
