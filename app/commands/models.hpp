#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/fit.hpp"

namespace plimsoll::app {

/// What a command that works on models is told: measurements, or one file with models (plimsoll.fit/1).
struct ModelsRequest {
    FitRequest fit;
    /// Given by the user, but without effect on models from a file.
    std::vector<std::string> search_options;
};

/// Whether a path names a file of models (plimsoll.fit/1).
[[nodiscard]] bool holds_models(const std::string& path);

/// Models from a file that holds some, or fitted to measurements; without predictions. The request then says
/// how the measurements of the models were treated, for others to compare with. Throws a usage error where an
/// option is given that models from a file leave no use for.
[[nodiscard]] model::FitDocument models_of(ModelsRequest& request, Progress& progress);

/// As above, and the measurements that were modelled, if any were.
[[nodiscard]] model::FitDocument models_of(ModelsRequest& request, Progress& progress,
                                           std::optional<experiment::Experiment>& experiment);

}  // namespace plimsoll::app
