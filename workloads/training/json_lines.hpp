#pragma once

#include <span>
#include <string>

#include "support/machine.hpp"
#include "training/run.hpp"
#include "training/settings.hpp"

namespace plimsoll::training_workload {

/// What all ranks measured, in the format plimsoll.experiment/1: a header, then a line for each region and
/// metric, with a list of the ranks' values for each step or epoch; checksums of each rank's network are
/// metadata. All results must have the same number of steps and epochs.
[[nodiscard]] std::string json_lines(const Settings& settings, const workloads::Machine& machine,
                                     std::span<const RunResult> ranks);

}  // namespace plimsoll::training_workload
