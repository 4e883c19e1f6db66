#pragma once

#include <span>
#include <vector>

#include "kernels/kernels.hpp"
#include "kernels/region_clock.hpp"
#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// Runs the kernels once, one after the other, and returns the time of each region, in call order:
/// main, main->setup, main->compute, and main->compute->K for each kernel K.
///
/// `main` and `main->compute` have serial work of their own, constant and linear in n. Results are
/// checked off the clock; a wrong one throws an Error of kind `internal`.
[[nodiscard]] std::vector<RegionTime> run_program(const Problem& problem, const Team& team,
                                                  std::span<const KernelEntry> kernels);

}  // namespace plimsoll::kernels
