#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/profile/detail/run.hpp"

namespace plimsoll::profile::detail {

/// How many of the first steps of a sequence are warm-up, by their times, any unit.
///
/// A first step is, if it and all before it take longer than usual: than the median of the second half of the
/// steps by five times their robust deviation, and by a fifth. At most half of the steps are, and none of
/// fewer than four. Later steps that take long stay: what occurs now and then belongs to a training.
[[nodiscard]] std::size_t warm_up_steps(std::span<const double> times);

/// Leaves out runs that are the first steps of a profile, where these are warm-up, with a note.
void drop_warm_up(std::vector<Run>& runs, experiment::ExperimentBuilder& builder);

}  // namespace plimsoll::profile::detail
