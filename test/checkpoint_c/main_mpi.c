#include "counting.h"
#include "plimsoll/checkpoint_mpi.h"

static int begin(const char* folder) { return plimsoll_checkpoint_init_mpi(MPI_COMM_WORLD, folder); }

int main(int argc, char** argv) {
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int status = count_and_save(argc, argv, begin, rank);
    if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
    return 0;
}
