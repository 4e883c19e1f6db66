#pragma once

#include <cstdint>
#include <span>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// Lets heat spread along a ring of cells for an even number of sweeps; returns the cell updates.
///
/// Each sweep replaces u[i] by u[i] + (u[i-1] - 2 u[i] + u[i+1]) / 4, cells split over the team,
/// which meets after each sweep. `scratch` is as large as `cells`.
std::uint64_t diffuse(const Team& team, std::span<double> cells, std::span<double> scratch, int sweeps);

/// Whether `later` can have come out of `earlier`: as much heat, within the same extremes, and less
/// uneven.
[[nodiscard]] bool is_diffused(std::span<const double> later, std::span<const double> earlier);

}  // namespace plimsoll::kernels
