#pragma once

#include <chrono>

namespace plimsoll {

/// A span of time.
using Seconds = std::chrono::duration<double>;

}  // namespace plimsoll
