#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "plimsoll/checkpoint/layout.hpp"
#include "plimsoll/checkpoint/session.hpp"

namespace at {
struct Generator;
}
namespace torch::nn {
class Module;
}
namespace torch::optim {
class Optimizer;
}

namespace plimsoll::checkpoint {

/// What a training in libtorch is made of, protected by a session: a run that restores it goes on as the one
/// that saved it would have, bit by bit.
///
///     TorchState state(session);
///     state.protect("net", *network);
///     state.protect("optimizer", optimizer);
///     session.protect("step", step);
///     state.restore();
///     while (step < steps) {
///         train(network, optimizer, step);
///         if (session.should_save(++step)) state.save(step);
///     }
///
/// Arrays are called as libtorch calls them, behind the name that is given and a point: "net.conv.weight".
/// They are those of the processor; tensors elsewhere are refused. Modules, optimizers and the session
/// outlive this.
class TorchState {
  public:
    explicit TorchState(Session& session);
    TorchState(const TorchState&) = delete;
    TorchState& operator=(const TorchState&) = delete;
    ~TorchState();

    /// The parameters and buffers of a module and of those in it. In data-parallel training they are the same
    /// on all ranks, which share the work of writing them and may be any number when they are restored; with
    /// `Layout::Kind::own` each rank has a module of its own. Throws a usage error where a tensor is on a
    /// device, does not lie in one piece, or has elements of a type that saves do not have.
    void protect(const std::string& name, torch::nn::Module& module,
                 Layout::Kind kind = Layout::Kind::replicated);

    /// Learning rates and what the optimizer keeps of earlier steps: SGD, Adam, AdamW, RMSprop and Adagrad.
    /// Before the first step this makes what that would, zeros; so it comes once all parameters are in their
    /// place. Throws a usage error for other optimizers, and for SGD with dampening that has made no step.
    void protect(const std::string& name, torch::optim::Optimizer& optimizer,
                 Layout::Kind kind = Layout::Kind::replicated);

    /// A generator of random numbers, of this rank alone: restored on as many ranks. Leave it out where their
    /// number may change.
    void protect(const std::string& name, const at::Generator& generator);

    /// As `Session::save`, of the session's other arrays too. Throws a usage error where a tensor lies
    /// elsewhere than when it was protected.
    Save save(std::uint64_t step);
    /// As `Session::restore`.
    std::optional<Restored> restore();
    Restored restore(std::uint64_t step);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::checkpoint
