#pragma once

#include <span>
#include <string>

namespace plimsoll::app {

/// Runs the program: parses the command line, does the work, prints the result. Never throws; returns the
/// exit status: 0 done, 1 the answer is no, 2 usage or input, 3 environment, 70 a bug, 130 interrupted.
[[nodiscard]] int run(std::span<const char* const> arguments);

}  // namespace plimsoll::app
