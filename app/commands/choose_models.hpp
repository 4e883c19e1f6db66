#pragma once

#include "plimsoll/experiment/transform.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

/// Keeps the models whose region and metric the options choose, by the rules that choose measurements.
void choose_models(model::FitDocument& document, const experiment::TransformOptions& options);

}  // namespace plimsoll::app
