#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "kernels/region_clock.hpp"

namespace plimsoll::kernels {

/// Regions whose traffic is known beforehand: `rounds` operations each on n numbers of 8 bytes a rank. See
/// README.md.
constexpr int rounds = 10;

/// Runs all regions once and returns the time of each, in call order: main, main->ring, main->allreduce,
/// main->alltoall, main->broadcast. The regions are those of plimsoll/region.hpp as well, so that
/// libplimsoll-mpi shows the calls of MPI below them. Ends all ranks where one gets a wrong result.
[[nodiscard]] std::vector<RegionTime> run_traffic(std::size_t n, MPI_Comm comm);

}  // namespace plimsoll::kernels
