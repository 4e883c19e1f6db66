#pragma once

#include <mpi.h>

#include <vector>

#include "training/run.hpp"

namespace plimsoll::training_workload {

/// The results of all ranks on the first one, in their order; on the others nothing. Ranks have the same
/// numbers of steps and epochs.
[[nodiscard]] std::vector<RunResult> gathered(const RunResult& mine, MPI_Comm comm);

}  // namespace plimsoll::training_workload
