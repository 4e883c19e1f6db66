#include "plimsoll/training/schedule.hpp"

#include <cmath>

namespace plimsoll::training {

double replica_processes(const Schedule& schedule) {
    return static_cast<double>(schedule.model_parallel) * static_cast<double>(schedule.pipeline_parallel);
}

double replicas(const Schedule& schedule, double processes) {
    return std::floor(processes / replica_processes(schedule));
}

StepCounts step_counts(const Schedule& schedule, double processes, double batch) {
    const double count = replicas(schedule, processes);
    if (!(count >= 1.0) || !(batch > 0.0)) return {};
    const auto steps = [](std::uint64_t size, double samples_of_a_step, LastStep last) {
        if (size == 0) return 0.0;
        // A global batch that replicas share need not be whole numbers for each.
        constexpr double rounding = 1e-9;
        const double exact = static_cast<double>(size) / samples_of_a_step;
        const double nearest = std::round(exact);
        if (std::abs(exact - nearest) <= rounding * exact) return nearest;
        return last == LastStep::drop ? std::floor(exact) : std::ceil(exact);
    };
    return {
        .training = steps(schedule.dataset_size, count * batch, schedule.last_step),
        .validation = steps(schedule.validation_size,
                            schedule.validation == Validation::each ? batch : count * batch, LastStep::keep)};
}

}  // namespace plimsoll::training
