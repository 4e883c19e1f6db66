#include "plimsoll/training/efficiency.hpp"

#include <cmath>

namespace plimsoll::training {

double extra_deep_efficiency(double few_time, double few_processes, double time, double processes) {
    const double saved = (few_time - time) / few_time;
    const double added = (processes - few_processes) / few_processes;
    return added == 0.0 ? 1.0 - std::abs(saved) : saved / added;
}

}  // namespace plimsoll::training
