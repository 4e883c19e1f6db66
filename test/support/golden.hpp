#pragma once

#include <string>

#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::test {

/// Compares what was read with the `experiment` part of a golden file of Extra-P: parameters, points,
/// metrics, regions and every statistic to 1e-12 relative. Empty where all agree, else the first differences,
/// one a line.
[[nodiscard]] std::string differences_from_golden(const experiment::Experiment& experiment,
                                                  const std::string& golden_file);

}  // namespace plimsoll::test
