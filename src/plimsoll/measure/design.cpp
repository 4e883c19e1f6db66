#include "plimsoll/measure/design.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::measure {

namespace {

constexpr std::size_t most_points = 1'000'000;

const Value& smallest(const ParameterValues& parameter) {
    return *std::ranges::min_element(parameter.values, {}, &Value::number);
}

const Value& largest(const ParameterValues& parameter) {
    return *std::ranges::max_element(parameter.values, {}, &Value::number);
}

std::vector<Point> grid(std::span<const ParameterValues> parameters) {
    std::vector<Point> points{{}};
    for (const ParameterValues& parameter : parameters) {
        if (points.size() * parameter.values.size() > most_points) {
            throw Error(ErrorKind::usage, fmt::format("the grid has more than {} points", most_points),
                        "take fewer values, or --design lines");
        }
        std::vector<Point> longer;
        longer.reserve(points.size() * parameter.values.size());
        for (const Point& point : points) {
            for (const Value& value : parameter.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

bool is_same(const Point& a, const Point& b) {
    return std::ranges::equal(a, b, {}, &Value::number, &Value::number);
}

std::vector<Point> lines(std::span<const ParameterValues> parameters) {
    Point origin;
    for (const ParameterValues& parameter : parameters) origin.push_back(smallest(parameter));
    std::vector<Point> points;
    const auto add = [&](const Point& point) {
        const bool is_known =
            std::ranges::any_of(points, [&](const Point& other) { return is_same(point, other); });
        if (!is_known) points.push_back(point);
    };
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        for (const Value& value : parameters[k].values) {
            Point point = origin;
            point[k] = value;
            add(point);
        }
    }
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        for (std::size_t l = k + 1; l < parameters.size(); ++l) {
            Point corner = origin;
            corner[k] = largest(parameters[k]);
            corner[l] = largest(parameters[l]);
            add(corner);
        }
    }
    return points;
}

}  // namespace

Points design_points(std::span<const ParameterValues> parameters, Design design) {
    Points result;
    for (const ParameterValues& parameter : parameters) {
        if (std::ranges::find(result.names, parameter.name) != result.names.end()) {
            throw Error(ErrorKind::usage, fmt::format("parameter '{}' is given twice", parameter.name),
                        fmt::format("give all of its values at once: {}=1,2,4", parameter.name));
        }
        result.names.push_back(parameter.name);
    }
    result.points = design == Design::grid ? grid(parameters) : lines(parameters);
    return result;
}

std::string describe(const std::vector<std::string>& names, const Point& point) {
    std::vector<std::string> pieces;
    for (std::size_t k = 0; k < names.size(); ++k)
        pieces.push_back(fmt::format("{}={}", names[k], point[k].text));
    return join(pieces, ", ");
}

}  // namespace plimsoll::measure
