#pragma once

#include <array>
#include <optional>

#include "plimsoll/core/options.hpp"

namespace plimsoll::training {

/// What the efficiency of a training on many processes is.
enum class Efficiency {
    standard,   ///< throughput of a process, by that of a process at the fewest processes that were measured
    extra_deep  ///< per cent of time saved, by per cent of processes added, as Extra-Deep has it
};
[[nodiscard]] constexpr std::array<EnumName<Efficiency>, 2> enum_names(Efficiency) {
    return {{{Efficiency::standard, "standard"}, {Efficiency::extra_deep, "extra-deep"}}};
}

/// Extra-Deep's efficiency of a time on many processes, by that on few: the share by which the time falls, by
/// the share by which the processes grow; where they do not grow, what the time is off by, less than 1.
///
/// Perfect scaling from one to four processes has 0.75 / 3 = 25 % by this definition.
/// Source: public code of Extra-Deep (10.1145/3624062.3624204).
[[nodiscard]] double extra_deep_efficiency(double few_time, double few_processes, double time,
                                           double processes);

/// Why efficiency falls: factors by POP's methodology, of devices; their product is how much of a training's
/// device time is spent with computing.
struct Factors {
    std::optional<double> load_balance;  ///< computing of the mean process, by that of the busiest one
    /// Computing of the busiest process by the step; of the mean one where one process was profiled alone.
    double communication_efficiency = 1.0;
    double parallel_efficiency = 1.0;  ///< the product of both: computing of the mean process by the step
    /// Computing a sample costs at the fewest processes measured, by what it costs here; steps where the
    /// batch is not known.
    std::optional<double> computation_scalability;
};

}  // namespace plimsoll::training
