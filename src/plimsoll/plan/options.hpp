#pragma once

#include <array>
#include <string>
#include <vector>

#include "plimsoll/core/options.hpp"

namespace plimsoll::plan {

/// What configurations are compared by.
enum class CostBy { automatic, money, node_hours, core_hours, device_hours, energy };
[[nodiscard]] constexpr std::array<EnumName<CostBy>, 6> enum_names(CostBy) {
    return {{{CostBy::automatic, "auto"},
             {CostBy::money, "money"},
             {CostBy::node_hours, "node-hours"},
             {CostBy::core_hours, "core-hours"},
             {CostBy::device_hours, "gpu-hours"},
             {CostBy::energy, "energy"}}};
}

/// How runs on different numbers of processes compare.
enum class WorkIs {
    automatic,    ///< by the models, else by whether time falls with the processes
    per_process,  ///< as much for each process: weak scaling
    in_all        ///< as much for all together: strong scaling
};
[[nodiscard]] constexpr std::array<EnumName<WorkIs>, 3> enum_names(WorkIs) {
    return {{{WorkIs::automatic, "auto"}, {WorkIs::per_process, "per-process"}, {WorkIs::in_all, "in-all"}}};
}

/// What `plimsoll plan config` is asked.
struct ConfigOptions {
    std::string deadline;
    std::vector<std::string> budget;
    double efficiency = 0.0;
    double confidence = 0.95;
    CostBy cost = CostBy::automatic;
    WorkIs work = WorkIs::automatic;
    double processes = 0.0;
    std::string memory_metric;
    std::string size_parameter;
};

template <class Visitor>
void describe(ConfigOptions& o, Visitor&& option) {
    option("deadline", o.deadline, "Longest time of the run, such as 24h; no limit if absent");
    option("budget", o.budget,
           "Most that the run may cost: 5000EUR, 20000core-h, 300node-h, 40GPU-h or 50kWh; may be repeated; "
           "no limit "
           "if absent");
    option("efficiency", o.efficiency,
           "Least efficiency, relative to the fewest processes that were measured", Shares{0.0, 1.0});
    option("confidence", o.confidence,
           "Probability with which a configuration has to keep deadline and budget together",
           Shares{0.51, 0.999});
    option("cost", o.cost, "What is meant by cheap: the unit of the budget, else money (auto), or another");
    option("work", o.work, "Whether each process has as much to do, or all have in all; for efficiencies");
    option("processes", o.processes, "Processes of every run, where no parameter counts them; 0: one does",
           Between{0.0, 1e9});
    option("memory-metric", o.memory_metric,
           "Metric that tells the memory of a process, in bytes; found by its name if absent");
    option("size-parameter", o.size_parameter,
           "Parameter that says how large the problem is, for the size that keeps --efficiency on more "
           "processes; none if absent");
}

}  // namespace plimsoll::plan
