#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "training/images.hpp"
#include "training/settings.hpp"
#include "training/trace.hpp"

namespace plimsoll::checkpoint {
class TorchState;
}

namespace plimsoll::training_workload {

/// The network and its gradient descent, the same on all ranks of a communicator. All that needs libtorch.
class Trainer {
  public:
    /// Takes threads and seed from the settings for the whole process.
    Trainer(const Settings& settings, MPI_Comm comm, Trace& trace);
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;
    ~Trainer();

    /// One step on this rank's images, together with all ranks; returns this rank's loss before it: the mean
    /// cross-entropy.
    double step(const Batch& batch);
    /// How many of the images the network classifies rightly. Of this rank alone.
    [[nodiscard]] std::size_t count_right(const Batch& batch) const;

    /// Numbers that the network has learnt.
    [[nodiscard]] std::size_t parameters() const;
    /// The same where all of them are the same, bit by bit, and hardly ever elsewhere.
    [[nodiscard]] std::uint32_t checksum() const;
    /// Writes the network for torch::load; throws an environment error where that fails.
    void save(const std::string& path) const;
    /// Has the network and its gradient descent saved with a state, which must not outlive this.
    void protect(checkpoint::TorchState& state);

  private:
    class Network;
    std::unique_ptr<Network> network_;
};

}  // namespace plimsoll::training_workload
