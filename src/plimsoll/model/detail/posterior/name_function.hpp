#pragma once

#include <cstddef>

#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// Position of the form by which a posterior is named.
///
/// The most probable one, but a form with exponents off the list only where it is clearly better than the
/// best on it, and a sum of several functions of one parameter only where such sums are probable together:
/// what is named is read as a claim, while predictions average over all forms.
[[nodiscard]] std::size_t named_form(const Posterior& posterior);

}  // namespace plimsoll::model::detail
