#include "training/checkpoints.hpp"

#include <fmt/core.h>

#include <array>
#include <span>

#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/checkpoint_mpi/mpi_communicator.hpp"
#include "plimsoll/checkpoint_torch/torch_state.hpp"
#include "plimsoll/core/error.hpp"
#include "training/trainer.hpp"

namespace plimsoll::training_workload {

class Checkpoints::Implementation {
  public:
    Implementation(const Settings& settings, Trainer& trainer, MPI_Comm comm)
        : settings_(&settings),
          session_({.folder = settings.checkpoints, .every_steps = settings.checkpoint_every},
                   std::make_unique<checkpoint::MpiCommunicator>(comm)),
          state_(session_) {
        int ranks = 1;
        MPI_Comm_size(comm, &ranks);
        images_of_step_ = settings.batch * static_cast<std::size_t>(ranks);
        trainer.protect(state_);
        session_.protect("epoch", position_.epoch);
        session_.protect("images", position_.images);
        session_.protect("steps", steps_);
        // What makes it this training beside the shape of its network, which the arrays tell.
        session_.protect("settings", std::span<std::uint64_t>(told_),
                         checkpoint::Layout::replicated({told_.size()}));
    }

    std::optional<Position> restore() {
        const Told own = told_;
        if (!state_.restore()) return std::nullopt;
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (own[i] == told_[i]) continue;
            throw Error(ErrorKind::input,
                        fmt::format("{}: its saves are of a training with --{} {}, not {}",
                                    settings_->checkpoints, told_names[i], told_[i], own[i]),
                        "give the same settings, or another folder");
        }
        if (position_.images % images_of_step_ == 0) return position_;
        throw Error(ErrorKind::input,
                    fmt::format("{}: the newest save is at image {} of an epoch, and steps have {} images",
                                settings_->checkpoints, position_.images, images_of_step_),
                    "choose --batch so that all ranks together have as many images in a step as before");
    }

    void step_done(const Position& position, bool ends_epoch) {
        position_ = position;
        ++steps_;
        const bool is_time = settings_->checkpoint_every == 0 ? ends_epoch : session_.should_save(steps_);
        if (is_time) state_.save(steps_);
    }

    void finish() { session_.finish(); }

  private:
    static constexpr std::array<const char*, 4> told_names{"dataset-size", "image-size", "classes", "seed"};
    using Told = std::array<std::uint64_t, told_names.size()>;

    const Settings* settings_;
    Told told_{settings_->dataset_size, settings_->image_size, settings_->classes, settings_->seed};
    checkpoint::Session session_;
    checkpoint::TorchState state_;
    Position position_;
    std::uint64_t steps_ = 0;  ///< of the whole training
    std::size_t images_of_step_ = 0;
};

Checkpoints::Checkpoints(const Settings& settings, Trainer& trainer, MPI_Comm comm)
    : implementation_(settings.checkpoints.empty()
                          ? nullptr
                          : std::make_unique<Implementation>(settings, trainer, comm)) {}

Checkpoints::~Checkpoints() = default;

std::optional<Position> Checkpoints::restore() {
    return implementation_ ? implementation_->restore() : std::nullopt;
}

void Checkpoints::step_done(const Position& position, bool ends_epoch) {
    if (implementation_) implementation_->step_done(position, ends_epoch);
}

void Checkpoints::finish() {
    if (implementation_) implementation_->finish();
}

}  // namespace plimsoll::training_workload
