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
};

/// Runs programs on this machine, with a guardian. It outlives its processes.
[[nodiscard]] std::unique_ptr<Launcher> local_launcher();

/// Runs nothing: every program ends at once, with success. For measuring what is around it.
[[nodiscard]] std::unique_ptr<Launcher> null_launcher();

}  // namespace plimsoll::launch
