#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::test {

/// What one process does in every step of a training, in seconds. On its device a step is: a copy, the
/// forward kernels, the backward kernels, and an all-reduce that begins while the latter still run.
struct PlantedStep {
    double copy = 0.0;
    double copied_bytes = 0.0;
    double forward = 0.0;
    double backward = 0.0;
    double reduce = 0.0;
    double reduced_elements = 0.0;  ///< of 4 bytes
    double hidden = 0.0;            ///< share of the all-reduce that runs beside the backward kernels
    double idle = 0.0;              ///< of the device, at the end

    [[nodiscard]] double exposed() const { return (1.0 - hidden) * reduce; }
    [[nodiscard]] double duration() const { return copy + forward + backward + exposed() + idle; }
};

/// What one process of a training wrote; each time of each step is off by a uniform relative error.
struct PlantedTraining {
    PlantedStep step;
    PlantedStep validation;  ///< copy and forward alone; none where its forward is 0
    int rank = 0;
    int ranks = 1;
    int epochs = 1;  ///< of which the first takes twice as long where there are more
    int steps = 3;   ///< in each epoch
    double noise = 0.0;
    std::uint64_t seed = 1;
    double batch_size = 0.0;  ///< stated as metadata of traces where it is there
};

/// How exports of Nsight Systems differ by version.
enum class NsightSchema {
    texts,   ///< older: names of ranges stand in their rows, MPI calls are ranges, kernels name no process
    strings  ///< newer: names of ranges are numbers, MPI has tables of its own
};

/// Writes an SQLite database as Nsight Systems exports it. Ranges: epochs and steps by category, in each step
/// `forward`, `backward` and `optimizer` on the main thread, each with calls of the CUDA runtime; cuBLAS and
/// OS calls within; an MPI barrier at the end of each step.
void write_nsight(const std::string& path, const PlantedTraining& training, NsightSchema schema);

/// A trace as the profiler of PyTorch writes it, of training steps alone; behind them a kernel that belongs
/// to none.
[[nodiscard]] std::string kineto_trace(const PlantedTraining& training);

}  // namespace plimsoll::test
