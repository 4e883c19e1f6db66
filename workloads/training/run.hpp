#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "training/checkpoints.hpp"
#include "training/settings.hpp"
#include "training/trace.hpp"

namespace plimsoll::training_workload {

/// What an epoch came to, the same on all ranks.
struct EpochResult {
    std::size_t number = 0;
    std::size_t steps = 0;  ///< of training; fewer than all in the epoch that a restart goes on with
    bool is_whole = true;   ///< all of it was done by this run
    double seconds = 0.0;   ///< of steps that count, and of validation; of this rank
    double validation_seconds = 0.0;  ///< of it
    double loss = 0.0;                ///< mean over its steps and all ranks
    double accuracy = 0.0;            ///< share of the images of validation; 0 without any
    std::size_t validated = 0;        ///< images
};

/// What a rank has measured.
struct RunResult {
    std::optional<Position> restored;      ///< where it went on from
    std::size_t parameters = 0;            ///< numbers that the network has learnt
    std::vector<double> steps;             ///< s
    std::vector<double> losses;            ///< of each step, mean over all ranks
    std::vector<double> validation_steps;  ///< s
    std::vector<EpochResult> epochs;
    std::uint32_t checksum = 0;       ///< of this rank's parameters at the end
    bool has_reached_target = false;  ///< of accuracy
};

/// Trains as the settings say, together with all ranks of the communicator; steps that count go into the
/// trace if there is to be a profile. Where the settings name a folder with saves, it goes on from the
/// newest. `epoch_ends` may throw to end the run, on all ranks alike.
///
/// An epoch has as many steps as all ranks can fill: what is left of the images is for other epochs' orders.
/// Throws a usage error where that is none, and an internal error where ranks' parameters differ.
[[nodiscard]] RunResult run(const Settings& settings, MPI_Comm comm, Trace& trace,
                            const std::function<void(const EpochResult&)>& epoch_ends);

}  // namespace plimsoll::training_workload
