#include "plimsoll/training/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {

double replicas(const Schedule& schedule, double processes) {
    return std::max(1.0, std::floor(processes / static_cast<double>(schedule.model_parallel)));
}

StepCounts step_counts(const Schedule& schedule, double processes, double batch) {
    const double samples = replicas(schedule, processes) * batch;
    const auto steps = [&](std::uint64_t size, double samples_of_a_step) {
        if (size == 0) return 0.0;
        const double exact = static_cast<double>(size) / samples_of_a_step;
        return schedule.last_step == LastStep::drop ? std::floor(exact) : std::ceil(exact);
    };
    return {.training = steps(schedule.dataset_size, samples),
            .validation =
                steps(schedule.validation_size, schedule.validation == Validation::each ? batch : samples)};
}

}  // namespace plimsoll::training
