#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// Positions of the forms by which a posterior is named, one for each regime.
///
/// The most probable one, but a form with exponents off the list only where it is clearly better than the
/// best on it, and a sum of several functions of one parameter only where such sums are probable together:
/// what is named is read as a claim, while predictions average over all forms.
[[nodiscard]] std::vector<std::size_t> named_forms(const Posterior& posterior);

/// The function that these forms make, with changes halfway between neighbouring values.
[[nodiscard]] Function named_function(const Posterior& posterior, std::span<const std::size_t> named);

}  // namespace plimsoll::model::detail
