#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/machine.hpp"
#include "training/run.hpp"
#include "training/settings.hpp"

namespace plimsoll::training_workload {

/// A training, and what each rank has measured of it: all have the same number of steps and epochs.
struct Measured {
    Settings settings;
    std::vector<RunResult> ranks;
};

/// What was measured, in the format plimsoll.experiment/1: a header, then for each training a line for each
/// region and metric, with a list of the ranks' values for each step or epoch. Of one training alone,
/// checksums of each rank's network are metadata.
[[nodiscard]] std::string json_lines(const workloads::Machine& machine, std::span<const Measured> trainings);

}  // namespace plimsoll::training_workload
