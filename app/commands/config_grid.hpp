#pragma once

#include <string>
#include <vector>

#include "app/commands/plan_workload.hpp"
#include "plimsoll/model/grid.hpp"
#include "plimsoll/plan/machine.hpp"

namespace plimsoll::app {

/// The values of each parameter: those given, as `measure --parameter` takes them, else the largest measured;
/// of processes from the fewest measured to eight times the most, by doubling, as far as a machine has nodes.
/// Adds a note on what was not given. Throws a usage error where a parameter is unknown or given twice, or
/// where configurations are too many.
[[nodiscard]] model::Grid grid_of(const std::vector<std::string>& given, const PlannedWork& work,
                                  const std::vector<plan::Machine>& machines,
                                  std::vector<std::string>& notes);

/// Both ends of each axis of a grid.
[[nodiscard]] std::vector<std::vector<double>> corners_of(const model::Grid& grid);

}  // namespace plimsoll::app
