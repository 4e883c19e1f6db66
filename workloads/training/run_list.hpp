#pragma once

#include <vector>

#include "training/settings.hpp"

namespace plimsoll::training_workload {

/// The settings of each training that a command line asks for: its own, or those of each line of the file
/// that
/// `--runs` names, whose options stand behind those of the command line and count before them. Blank lines
/// and those that begin with # are passed over. Throws an environment error where the file cannot be read,
/// and an input error that names the line where it is wrong or asks for another output.
[[nodiscard]] std::vector<Settings> settings_of_runs(int argc, const char* const* argv,
                                                     const Settings& settings);

}  // namespace plimsoll::training_workload
