#pragma once

#include <string>
#include <vector>

#include "app/commands/training_models.hpp"
#include "plimsoll/training/step_precision.hpp"
#include "plimsoll/training/training_time.hpp"

namespace plimsoll::app {

/// The document `plimsoll.training/1`.
struct TrainingReport {
    std::vector<std::string> parameters;
    training::Schedule schedule;
    training::TrainingOptions options;
    double coverage = 0.9;
    std::vector<training::TrainingTime> points;
    /// How well the profiled steps of each configuration tell their time; none where models came from a file.
    struct Profiled {
        training::StepPrecision precision;
        double epoch_steps = 0.0;  ///< of training; 0 where the data set is not known
    };
    std::vector<Profiled> profiled;
    std::optional<double> critical_batch;  ///< samples of all processes in a step
    std::vector<std::string> notes;
};

struct TrainingRequest {
    ModelsRequest models;
    training::Schedule schedule;
    training::TrainingOptions options;
    std::string samples;  ///< measurements or models of the samples that are needed, by global batch
};

/// How long a training takes at the points asked for; else from the fewest processes that were measured to
/// eight times the most, by doubling, with the other parameters at their largest values; where there are too
/// few points for models, at those that were measured.
[[nodiscard]] TrainingReport training_times(TrainingRequest request, Progress& progress);

}  // namespace plimsoll::app
