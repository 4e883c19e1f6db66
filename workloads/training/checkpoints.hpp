#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "training/settings.hpp"

namespace plimsoll::training_workload {

class Trainer;

/// How far a training is. Images count, and not steps, so that another number of ranks can go on from there.
struct Position {
    std::uint64_t epoch = 0;
    std::uint64_t images = 0;  ///< of this epoch that all ranks have learnt from
};

/// The saves of a training: its network, the momentum of its gradient descent and how far it is. Nothing
/// where the settings name no folder.
class Checkpoints {
  public:
    Checkpoints(const Settings& settings, Trainer& trainer, MPI_Comm comm);
    Checkpoints(const Checkpoints&) = delete;
    Checkpoints& operator=(const Checkpoints&) = delete;
    ~Checkpoints();

    /// Goes on from the newest save; nothing where there is none. Throws an input error where it is of a
    /// training with other settings, or where this many ranks with this batch do not come by its position.
    [[nodiscard]] std::optional<Position> restore();
    /// Saves after a step, where it is time to; `ends_epoch` says whether the step was an epoch's last one.
    void step_done(const Position& position, bool ends_epoch);
    /// Waits for all saves; throws where the last one has failed.
    void finish();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::training_workload
