#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/seconds.hpp"
#include "plimsoll/plan/amount.hpp"

namespace plimsoll::plan {

/// What a job is charged for.
enum class Charged {
    nodes,  ///< all of each node that it has
    used    ///< the part of the nodes that its processes fill
};
[[nodiscard]] constexpr std::array<EnumName<Charged>, 2> enum_names(Charged) {
    return {{{Charged::nodes, "nodes"}, {Charged::used, "used"}}};
}

/// Where what a process keeps in memory is.
enum class MemoryPlace {
    device,  ///< in its devices, where a machine tells their memory, else in its node
    node     ///< in its node, whether there are devices or not: resident memory of a process
};

/// A machine, or a kind of node of one, and how its use is charged.
struct Machine {
    std::string name;
    double nodes = std::numeric_limits<double>::infinity();  ///< most that a job can have
    double processes_per_node = 1.0;
    double cores_per_node = 0.0;    ///< 0: not told
    double devices_per_node = 0.0;  ///< GPUs and their like; 0: none
    std::optional<Price> price;
    std::optional<Price> energy_price;  ///< for each kWh, beside the price
    Charged charged = Charged::nodes;
    Seconds granularity{0.0};                 ///< time is charged in whole multiples; 0: as it is
    Seconds minimum_time{0.0};                ///< least time that is charged
    double minimum_charge = 0.0;              ///< least money that a job costs, energy not counted
    std::optional<double> memory_per_node;    ///< bytes
    std::optional<double> memory_per_device;  ///< bytes
    double power_per_node = 0.0;              ///< W, of a node at work; 0: not told
    std::optional<Seconds> longest_job;       ///< time after which jobs are ended
    double speed = 1.0;                       ///< times as fast as the machine that was measured

    /// Whether its use can be told in this unit.
    [[nodiscard]] bool charges(CostKind kind) const;
    /// Nodes for so many processes: whole ones.
    [[nodiscard]] double nodes_for(double processes) const;
    /// Bytes that each process has where all of a node, or as many as there are, work; empty where it is not
    /// told.
    [[nodiscard]] std::optional<double> memory_of_a_process(double processes, MemoryPlace place) const;
};

}  // namespace plimsoll::plan
