#pragma once

#include <optional>
#include <string>

#include "kernels/measurement.hpp"

namespace plimsoll::kernels {

/// What the user asked for.
struct Request {
    Plan plan;
    std::string output = "-";         ///< "-" is stdout
    std::optional<std::string> help;  ///< text to print instead of measuring
};

/// Throws an Error of kind `usage` for arguments that make no sense.
[[nodiscard]] Request parse_command_line(int argc, const char* const* argv);

}  // namespace plimsoll::kernels
