#include <mpi.h>

#include "heat/command_line.hpp"
#include "heat/mpi/mpi_ranks.hpp"

int main(int argc, char** argv) {
    // Checkpoints are written by a thread of their own, which does not call MPI.
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int status = 0;
    {
        plimsoll::heat::MpiRanks ranks;
        status = plimsoll::heat::run_program(argc, argv, "heat-mpi", ranks);
    }
    MPI_Finalize();
    return status;
}
