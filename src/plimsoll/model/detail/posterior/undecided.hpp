#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// Two forms between which the measurements do not decide, although it matters, and where to measure.
struct Undecided {
    std::size_t other = 0;      ///< position in the posterior of the form beside the named one
    std::vector<double> point;  ///< the cheapest at which they differ clearly, [parameters]
};

/// Looks for a form that is nearly as probable as the named one, but predicts something else at a point that
/// could be measured: an unmeasured combination of measured values, or one step beyond the largest value of
/// one parameter. `points` is [values x parameters], row-major. Empty where no such form differs by a tenth.
[[nodiscard]] std::optional<Undecided> find_undecided(const Posterior& posterior, std::size_t named,
                                                      std::span<const double> points, std::size_t parameters);

}  // namespace plimsoll::model::detail
