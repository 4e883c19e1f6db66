#pragma once

#include <functional>
#include <optional>
#include <string>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/launch/launcher.hpp"

namespace plimsoll::measure {

/// One run of the program.
struct Task {
    launch::Command command;
    std::optional<Seconds> timeout;
};

/// What came of it.
struct Outcome {
    launch::Exit exit;
    /// Why it failed, for people: "exit code 3", "was stopped after 60 s"; empty where it did not.
    std::string failure;
    std::optional<double> joules;  ///< that this machine took meanwhile
    bool is_elsewhere =
        false;  ///< maybe not on this machine, whose other processes say nothing of the run then
};

/// Runs one task to its end, wherever that is, and keeps the activity alive meanwhile. Throws `Cancelled`
/// once the user asked to stop, and an environment error where the program cannot be started.
using Runner = std::function<Outcome(const Task&, Activity&)>;

/// Whether the energy of each run is wanted.
enum class Energy { left_out, measured };

/// Runs tasks on this machine. The launcher outlives it. What is told to stop has half a second to end.
[[nodiscard]] Runner local_runner(launch::Launcher& launcher, Energy energy);

}  // namespace plimsoll::measure
