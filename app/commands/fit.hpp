#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/commands/inputs.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

struct FitRequest {
    Inputs inputs;
    model::FitOptions fit;
    std::vector<std::string> at;       ///< points to predict, as `p=4096,n=9000`
    std::vector<std::string> explain;  ///< patterns of the regions to explain
    /// Whether regions that are not explained are modelled as well, where some are.
    enum class Others { modelled, left_out };
    Others others = Others::modelled;
    int threads = 0;
};

/// Models every region. Predictions are at the points asked for, else at the largest value of each parameter.
[[nodiscard]] model::FitDocument fit(const FitRequest& request, Progress& progress);

/// As above for measurements that were read and transformed already.
[[nodiscard]] model::FitDocument fit(const experiment::Experiment& experiment, const FitRequest& request,
                                     Progress& progress);

/// What to know of points where something is predicted: they are not among positive values, or far from what
/// was measured. [points][parameters]
[[nodiscard]] std::vector<std::string> remarks_on_points(const model::FitDocument& document,
                                                         std::span<const std::vector<double>> points);

/// A line for each region and metric without a model, with the reason.
[[nodiscard]] std::vector<std::string> without_model(const model::FitDocument& document);

/// What a person should know of the models: the notes of the document, then the models' warnings, equal ones
/// together. Where these are many, the last one says how many more the JSON document has.
[[nodiscard]] std::vector<std::string> notes_of(const model::FitDocument& document);

}  // namespace plimsoll::app
