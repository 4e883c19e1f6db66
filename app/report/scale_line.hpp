#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/plan_workload.hpp"
#include "plimsoll/core/progress.hpp"

namespace plimsoll::app {

/// How the whole program scales: times and efficiencies on a grid, and up to where it is efficient enough.
struct ScaleLine {
    plan::Predictions predictions;
    double least = 0.5;  ///< efficiency
    /// The most processes that reach it, for each combination of the other parameters, in the grid's order;
    /// empty where none does.
    struct End {
        double processes = 0.0;
        bool is_end = false;  ///< it is the last one on the grid, and more may do as well
    };
    std::vector<std::optional<End>> ends;
};

/// Looks where the efficiency of the work falls below `least` for the last time along the grid's processes.
/// Between two values of the grid, whole numbers of processes are told apart.
[[nodiscard]] ScaleLine scale_line(const PlannedWork& work, const model::Grid& grid, double least,
                                   int threads, Progress& progress);

}  // namespace plimsoll::app
