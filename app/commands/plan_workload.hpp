#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/plan/options.hpp"
#include "plimsoll/plan/predictions.hpp"
#include "plimsoll/training/training_time.hpp"

namespace plimsoll::app {

/// Whether the command that asks has an option for runs that all have as many processes: hints name it then.
enum class FixedProcesses { as_option, unknown };

/// What the models say of a run, for plans: its time, its memory, its processes.
struct PlannedWork {
    model::FitDocument document;
    std::optional<training::TrainingModel> training;  ///< where a data set is given: then the time is its own
    /// Of the models. Where no parameter counts processes, one more stands behind them that does:
    /// "processes".
    std::vector<std::string> parameters;
    plan::Workload workload;
    /// What one of them is: "processes", "nodes", "cores" or "devices".
    std::string counted;
    /// The one parameter there is was taken to count them, though it is not called so.
    bool processes_are_guessed = false;
    std::string time_of;  ///< "main and all below it", "the training"
    std::vector<std::string> notes;

    PlannedWork() = default;
    PlannedWork(const PlannedWork&) = delete;  // the workload points into it
    PlannedWork& operator=(const PlannedWork&) = delete;
};

/// What was taken for granted where processes are guessed: "'x' is taken to count the processes".
[[nodiscard]] std::string guess_of_processes(const PlannedWork& work);

/// Whether a run is a training: of a data set whose steps have models, or of epochs.
[[nodiscard]] bool is_training(const model::FitDocument& document, const training::Schedule& schedule);

/// Fills in the work of some models. `samples` are those that a training needs, where they are known. Throws
/// a usage error where it is not clear which regions make up a run, which metric is its time, or what counts
/// the processes.
void plan_work(model::FitDocument document, const ModelsRequest& models, const training::Schedule& schedule,
               std::optional<training::SampleNeed> samples, const plan::ConfigOptions& options,
               PlannedWork& work, FixedProcesses fixed = FixedProcesses::as_option);

}  // namespace plimsoll::app
