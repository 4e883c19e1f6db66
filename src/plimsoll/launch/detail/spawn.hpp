#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "plimsoll/launch/command.hpp"

namespace plimsoll::launch::detail {

/// What a new process takes over, as the system wants it.
struct Prepared {
    const Command* command = nullptr;
    std::vector<char*> arguments;            ///< ends with a null pointer
    std::vector<std::string> added;          ///< texts of the environment that are not in ours
    std::vector<char*> environment;          ///< ends with a null pointer
    std::array<int, 3> streams{-1, -1, -1};  ///< descriptors to put there; -1: inherited; all above 2
    bool errors_to_output = false;
    int control_group = -1;  ///< entrance of the one to belong to; -1: ours
};

/// Fills in arguments and environment; streams are left to the caller.
void prepare(const Command& command, Prepared& prepared);

/// Starts the process as leader of a new group. Returns 0, or the system's error code, and then there is
/// none.
[[nodiscard]] int spawn(Prepared& prepared, pid_t& child);

}  // namespace plimsoll::launch::detail
