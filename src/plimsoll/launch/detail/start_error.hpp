#pragma once

#include "plimsoll/core/error.hpp"
#include "plimsoll/launch/command.hpp"

namespace plimsoll::launch::detail {

/// Why a program could not be started, in words, for the system's error code.
[[nodiscard]] Error start_error(const Command& command, int code);

}  // namespace plimsoll::launch::detail
