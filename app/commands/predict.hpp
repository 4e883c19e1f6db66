#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/models.hpp"

namespace plimsoll::app {

/// One line of a prediction, with the measurement beside it where there is one.
struct PredictionRow {
    std::string region;
    std::string metric;
    std::string unit;
    std::vector<double> at;  ///< [parameters]
    double value = 0.0;
    double share = 0.0;  ///< of the metric's total at this point
    std::optional<model::Prediction::Interval> interval;
    std::optional<double> measured;
};

/// The document `plimsoll.predict/1`.
struct PredictReport {
    std::vector<std::string> parameters;
    std::vector<PredictionRow> rows;
    std::vector<std::string> notes;
};

struct PredictRequest {
    ModelsRequest models;
    std::vector<std::string> against;  ///< measurements to compare with; their points are predicted
};

/// Predicts by stored models, or by models of the measurements given. Measurements to compare with are read
/// as the models' were: same statistic, scaling, ranks and tree. Throws a usage error where neither a point
/// nor such measurements are given, or an option is that models from a file leave no use for.
[[nodiscard]] PredictReport predict(PredictRequest request, Progress& progress);

}  // namespace plimsoll::app
