#pragma once

#include <string>

#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

/// A formula as a person writes it: four digits, `p` for `1 * p`, and nothing that is rounding at the largest
/// measured point of the document.
[[nodiscard]] std::string readable_formula(const model::Function& function,
                                           const model::FitDocument& document);

}  // namespace plimsoll::app
