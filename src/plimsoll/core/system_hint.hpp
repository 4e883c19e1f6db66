#pragma once

#include <string>

namespace plimsoll {

/// What to do where the system refuses a path by an error code that tells it; else the hint given.
[[nodiscard]] std::string system_hint(int code, std::string otherwise);

}  // namespace plimsoll
