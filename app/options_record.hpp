#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plimsoll/experiment/transform.hpp"
#include "plimsoll/model/options.hpp"

namespace plimsoll::app {

/// Names and values of options, for the record of a run.
using OptionsRecord = std::vector<std::pair<std::string, std::string>>;

/// The options that decide what a model is: those of the search and those of the transformation, as texts;
/// options that are empty are left out.
[[nodiscard]] OptionsRecord record_options(const model::FitOptions& fit,
                                           const experiment::TransformOptions& transform);

}  // namespace plimsoll::app
