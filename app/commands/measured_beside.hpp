#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/commands/models.hpp"

namespace plimsoll::app {

/// Measurements that go with models from a file, and where each parameter of the models is in them.
struct MeasuredBeside {
    experiment::Experiment experiment;
    std::vector<std::size_t> axis_of;  ///< [parameters of the models]
};

/// Reads measurements as those of the models were read, to be used beside them. `use` begins the hint:
/// "compare with", "draw". Throws an input error where they were treated otherwise before they were written,
/// lack a parameter of the models, or have another one that varies.
[[nodiscard]] MeasuredBeside read_beside(const ModelsRequest& models, const model::FitDocument& document,
                                         const std::vector<std::string>& paths, const std::string& use,
                                         Progress& progress);

/// Throws an input error where measurements were treated otherwise than those of the models before they were
/// written.
void expect_same_treatment(const experiment::Experiment& experiment,
                           const experiment::TransformOptions& transform, const Place& place);

}  // namespace plimsoll::app
