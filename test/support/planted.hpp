#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::test {

/// Points of a parameter space, [points][parameters].
using Points = std::vector<std::vector<double>>;

/// A function of a point.
using Planted = std::function<double(std::span<const double>)>;

/// Every combination of the values of each axis; the last axis varies fastest.
inline Points grid(const std::vector<std::vector<double>>& axes) {
    Points points{{}};
    for (const std::vector<double>& axis : axes) {
        Points longer;
        for (const std::vector<double>& point : points) {
            for (const double value : axis) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

/// Lines along each axis through the first value of the others; the corner once.
inline Points cross(const std::vector<std::vector<double>>& axes) {
    std::vector<double> corner;
    for (const std::vector<double>& axis : axes) corner.push_back(axis.front());
    Points points{corner};
    for (std::size_t k = 0; k < axes.size(); ++k) {
        for (std::size_t i = 1; i < axes[k].size(); ++i) {
            points.push_back(corner);
            points.back()[k] = axes[k][i];
        }
    }
    return points;
}

/// 2^first ... 2^last.
inline std::vector<double> powers_of_two(int first, int last) {
    std::vector<double> values;
    for (int e = first; e <= last; ++e) values.push_back(std::ldexp(1.0, e));
    return values;
}

/// Values of a function at points, each off by a normal relative error.
inline std::vector<double> planted_values(const Points& points, const Planted& function, double noise = 0.0,
                                          unsigned seed = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> values;
    for (const std::vector<double>& point : points)
        values.push_back(function(point) * (1.0 + noise * normal(random)));
    return values;
}

/// All points in one row, as the searches take them.
inline std::vector<double> flat(const Points& points) {
    std::vector<double> coordinates;
    for (const std::vector<double>& point : points) {
        coordinates.insert(coordinates.end(), point.begin(), point.end());
    }
    return coordinates;
}

/// An experiment with planted values, series by series.
class PlantedExperiment {
  public:
    explicit PlantedExperiment(const std::vector<std::string>& parameters) {
        builder_.set_parameters(parameters, {});
    }

    /// One value at each point.
    PlantedExperiment& add(const std::string& region, const Points& points, const std::vector<double>& values,
                           const std::string& metric = "time") {
        const auto series = builder_.series(builder_.region(region), builder_.metric(metric));
        for (std::size_t i = 0; i < points.size(); ++i) {
            builder_.add_repetitions(series, builder_.point(points[i], {}), {&values[i], 1}, {});
        }
        return *this;
    }

    PlantedExperiment& add(const std::string& region, const Points& points, const Planted& function) {
        return add(region, points, planted_values(points, function));
    }

    [[nodiscard]] experiment::ExperimentBuilder& builder() { return builder_; }
    [[nodiscard]] experiment::Experiment build() { return builder_.build(); }

  private:
    experiment::ExperimentBuilder builder_;
};

}  // namespace plimsoll::test
