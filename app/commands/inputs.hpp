#pragma once

#include <string>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/experiment/transform.hpp"

namespace plimsoll::app {

/// What every command that reads measurements is told.
struct Inputs {
    std::vector<std::string> paths;
    experiment::ReadOptions read;
    experiment::TransformOptions transform;
};

/// Reads, merges and transforms.
[[nodiscard]] experiment::Experiment read_inputs(const Inputs& inputs, Progress& progress);

/// A point given as `p=4096,n=9000`, in the order of the parameters. Throws a usage error that names the
/// parameter which is unknown, missing or twice there, or the value that is no number.
[[nodiscard]] std::vector<double> parse_point(const std::string& text,
                                              const std::vector<std::string>& parameters);

}  // namespace plimsoll::app
