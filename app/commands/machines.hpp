#pragma once

#include <string>
#include <vector>

#include "plimsoll/plan/machine.hpp"

namespace plimsoll::app {

/// The machines of a TOML file: its tables [[machine]]. Throws an input error with its line.
[[nodiscard]] std::vector<plan::Machine> machines_of(const std::string& path);

}  // namespace plimsoll::app
