#pragma once

#include <optional>
#include <string>

#include "app/commands/models.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/training/sample_need.hpp"
#include "plimsoll/training/schedule.hpp"

namespace plimsoll::app {

/// Models of the steps or epochs of trainings, and what they were fitted to where they were not read from a
/// file.
struct TrainingModels {
    model::FitDocument models;
    std::optional<experiment::Experiment> measurements;
};

/// Reads profiles of steps, of which all that happens within a step but its parts is left out, and models
/// them; or reads models. Throws an input error where no step is marked, and a usage error where values of
/// all processes are to be added up.
[[nodiscard]] TrainingModels models_of_training(ModelsRequest& request, training::BatchIs batch_is,
                                                Progress& progress);

/// Of the samples that trainings needed, in a file: models, or measurements to be modelled as the steps are.
/// Nothing where no file is named.
[[nodiscard]] std::optional<training::SampleNeed> sample_need(const std::string& file,
                                                              const ModelsRequest& steps, Progress& progress);

}  // namespace plimsoll::app
