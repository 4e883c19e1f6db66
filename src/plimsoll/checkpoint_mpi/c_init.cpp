#include "plimsoll/checkpoint_c/families.hpp"
#include "plimsoll/checkpoint_mpi.h"
#include "plimsoll/checkpoint_mpi/mpi_communicator.hpp"

int plimsoll_checkpoint_init_mpi(MPI_Comm ranks, const char* folder) {
    const plimsoll_checkpoint_options options = plimsoll_checkpoint_defaults(folder);
    return plimsoll_checkpoint_init_mpi_with(ranks, &options);
}

int plimsoll_checkpoint_init_mpi_with(MPI_Comm ranks, const plimsoll_checkpoint_options* options) {
    using namespace plimsoll::checkpoint;
    return begin_families(session_options(options),
                          [ranks] { return std::make_unique<MpiCommunicator>(ranks); });
}
