#pragma once

#include <string>
#include <vector>

#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

/// Where values are inclusive, a region takes no longer than one that it lies in. Each region is modelled by
/// itself, so that predictions may say otherwise: a line for each point where times do, of which names the
/// plainest.
[[nodiscard]] std::vector<std::string> contradictions(const model::FitDocument& document);

}  // namespace plimsoll::app
