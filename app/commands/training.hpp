#pragma once

#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/training/training_time.hpp"

namespace plimsoll::app {

/// The document `plimsoll.training/1`.
struct TrainingReport {
    std::vector<std::string> parameters;
    training::Schedule schedule;
    double coverage = 0.9;
    std::vector<training::TrainingTime> points;
    std::vector<std::string> notes;
};

struct TrainingRequest {
    ModelsRequest models;
    training::Schedule schedule;
};

/// How long a training takes at the points asked for; else from the fewest processes that were measured to
/// eight times the most, by doubling, with the other parameters at their largest values.
[[nodiscard]] TrainingReport training_times(TrainingRequest request, Progress& progress);

}  // namespace plimsoll::app
