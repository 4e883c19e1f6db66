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

/// How a training goes through its data: exact counts, which are no matter of models.
struct Schedule {
    std::uint64_t dataset_size = 0;     ///< samples; 0: not known
    std::uint64_t validation_size = 0;  ///< samples; 0: no validation
    std::uint64_t epochs = 1;
    std::string
        batch;  ///< samples of a replica in a step: a number, or a parameter's name; empty: by its name
    std::uint64_t model_parallel = 1;  ///< processes that hold one replica of the model together
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
           "Samples of a replica in a step: a number, or the parameter that holds it; found by its name if "
           "absent");
    option("model-parallel", o.model_parallel, "Processes that hold one replica of the model together",
           Between{std::uint64_t{1}, std::uint64_t{1'000'000}});
    option("last-step", o.last_step, "Whether samples that do not fill a last step make one, or are dropped");
    option("validation", o.validation, "Whether replicas share the validation set, or each goes through it");
}

/// Steps of one epoch.
struct StepCounts {
    double training = 0.0;
    double validation = 0.0;
};

/// Steps of an epoch where so many processes train with so many samples a replica.
///
/// With g replicas and B samples of each, an epoch over D samples has D / (g B) steps, the last one kept or
/// dropped; a validation that each replica goes through by itself has D / B. Processes that do not make up
/// a replica are idle. Zero where a size is not known, or where samples that fill no step are dropped.
[[nodiscard]] StepCounts step_counts(const Schedule& schedule, double processes, double batch);

/// Replicas of the model: whole ones.
[[nodiscard]] double replicas(const Schedule& schedule, double processes);

}  // namespace plimsoll::training
