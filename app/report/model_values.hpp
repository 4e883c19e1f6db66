#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/document.hpp"
#include "plimsoll/model/grid.hpp"

namespace plimsoll::app {

/// Sums over the regions of one metric, as shares are of.
struct MetricTotal {
    std::string metric;
    std::string unit;
    std::vector<double> totals;  ///< [points of the grid]
};

/// What all models of a document say of the points of a grid, in single precision.
struct ModelValues {
    static constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

    model::Grid grid;
    std::size_t models = 0;
    std::vector<float> value;  ///< medians, [points x models]; not a number where a model says nothing
    std::vector<float> low;    ///< of the interval, likewise; empty where no model has any
    std::vector<float> high;
    std::vector<MetricTotal> metrics;    ///< in the order of the models
    std::vector<std::size_t> metric_of;  ///< of each model, a place in `metrics`

    [[nodiscard]] std::size_t place(std::size_t point, std::size_t model) const {
        return point * models + model;
    }
};

[[nodiscard]] ModelValues model_values(const model::FitDocument& document, model::Grid grid, double coverage,
                                       int threads, Progress& progress);

}  // namespace plimsoll::app
