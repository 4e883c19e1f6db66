#pragma once

#include <memory>

#include "plimsoll/launch/process.hpp"

namespace plimsoll::launch {

/// A way to run programs.
class Launcher {
  public:
    virtual ~Launcher() = default;

    /// As `start`.
    [[nodiscard]] virtual Process start(const Command& command) = 0;

    /// Why `Limits::shared_memory_bytes` cannot be held; empty where it can.
    [[nodiscard]] virtual std::string obstacle_to_memory_limits() const = 0;
};

/// Runs programs on this machine, with a guardian. It outlives its processes. Make it before other processes.
///
/// `limits_memory`: whether it is to look for a place for control groups, for which it may go into one
/// itself.
[[nodiscard]] std::unique_ptr<Launcher> local_launcher(bool limits_memory = false);

/// Runs nothing: every program ends at once, with success. For measuring what is around it.
[[nodiscard]] std::unique_ptr<Launcher> null_launcher();

}  // namespace plimsoll::launch
