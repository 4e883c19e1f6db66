#pragma once

#include <optional>
#include <string>

#include "heat/run.hpp"

namespace plimsoll::heat {

struct Request {
    Settings settings;
    std::optional<std::string> help;  ///< to print instead of running
};

/// Throws a usage error.
[[nodiscard]] Request parse_command_line(int argc, const char* const* argv, const char* program);

/// Runs what a command line asks for and prints the result; returns the exit status. Messages come from rank
/// 0.
[[nodiscard]] int run_program(int argc, const char* const* argv, const char* program, Ranks& ranks);

}  // namespace plimsoll::heat
