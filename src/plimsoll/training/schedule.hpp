#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "plimsoll/core/options.hpp"

namespace plimsoll::training {

/// What becomes of samples that do not fill a last step.
enum class LastStep { keep, drop };
[[nodiscard]] constexpr std::array<EnumName<LastStep>, 2> enum_names(LastStep) {
    return {{{LastStep::keep, "keep"}, {LastStep::drop, "drop"}}};
}

/// Who works on which samples of the validation.
enum class Validation {
    shared,  ///< each replica on a part
    each     ///< each replica on all of them
};
[[nodiscard]] constexpr std::array<EnumName<Validation>, 2> enum_names(Validation) {
    return {{{Validation::shared, "shared"}, {Validation::each, "each"}}};
}

/// What the number of samples in a batch counts.
enum class BatchIs {
    replica,  ///< those of one replica in a step: the work grows with the processes, weak scaling
    global    ///< those of all replicas together: the work of a step is the same, strong scaling
};
[[nodiscard]] constexpr std::array<EnumName<BatchIs>, 2> enum_names(BatchIs) {
    return {{{BatchIs::replica, "replica"}, {BatchIs::global, "global"}}};
}

/// How a training goes through its data: exact counts, which are no matter of models.
struct Schedule {
    std::uint64_t dataset_size = 0;     ///< samples; 0: not known
    std::uint64_t validation_size = 0;  ///< samples; 0: no validation
    std::uint64_t epochs = 1;
    std::string batch;  ///< samples in a step: a number, or a parameter's name; empty: by its name
    BatchIs batch_is = BatchIs::replica;
    std::uint64_t model_parallel = 1;     ///< processes that hold a layer of the model together
    std::uint64_t pipeline_parallel = 1;  ///< stages of layers, each such a group of processes
    LastStep last_step = LastStep::keep;
    Validation validation = Validation::shared;
};

template <class Visitor>
void describe(Schedule& o, Visitor&& option) {
    constexpr std::uint64_t most = 1'000'000'000'000'000;  // samples: exact as a double
    option("dataset-size", o.dataset_size,
           "Samples in the training set, for the time of an epoch; 0: not told",
           Between{std::uint64_t{0}, most});
    option("validation-size", o.validation_size, "Samples in the validation set; 0: no validation",
           Between{std::uint64_t{0}, most});
    option("epochs", o.epochs, "Epochs of the training", Between{std::uint64_t{1}, most});
    option("batch", o.batch,
           "Samples in a step: a number, or the parameter that holds it; found by its name if absent");
    option("batch-is", o.batch_is,
           "Whether these are samples of one replica, or of all together (global), as where more processes "
           "share the same batch");
    option("model-parallel", o.model_parallel, "Processes that hold one replica of the model together",
           Between{std::uint64_t{1}, std::uint64_t{1'000'000}});
    option("pipeline-parallel", o.pipeline_parallel,
           "Stages of a pipeline, of --model-parallel processes each, that hold one replica together",
           Between{std::uint64_t{1}, std::uint64_t{1'000'000}});
    option("last-step", o.last_step,
           "Whether samples of the training set that do not fill a last step make one, or are dropped");
    option("validation", o.validation, "Whether replicas share the validation set, or each goes through it");
}

/// Steps of one epoch.
struct StepCounts {
    double training = 0.0;
    double validation = 0.0;
};

/// Processes that hold one replica of the model together.
[[nodiscard]] double replica_processes(const Schedule& schedule);

/// Replicas of the model: whole ones. Processes that do not make up one are idle.
[[nodiscard]] double replicas(const Schedule& schedule, double processes);

/// Steps of an epoch where so many processes train with so many samples a replica.
///
/// With g replicas and B samples of each, an epoch over D samples has D / (g B) steps, the last one kept or
/// dropped. A validation, which leaves no sample out, has as many, rounded up, or D / B where each replica
/// goes through all of it. Zero where a size is not known, where samples that fill no step are dropped, and
/// where there is no replica.
[[nodiscard]] StepCounts step_counts(const Schedule& schedule, double processes, double batch);

}  // namespace plimsoll::training
