#pragma once

#include "plimsoll/region.hpp"

extern "C" plimsoll_region_meeting plimsoll_region_host;

namespace plimsoll::mpi {

/// From MPI_Init to MPI_Finalize, but for what MPI_Pcontrol(0) leaves out.
void set_measuring(bool on);

/// Gathers what all ranks measured and appends it to the file; collective over MPI_COMM_WORLD.
void report();

}  // namespace plimsoll::mpi
