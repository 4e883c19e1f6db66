// Begin and end of a program's use of MPI, and what else concerns the measurement itself.

#include <cstdarg>

#include "plimsoll/mpi/detail/call.hpp"
#include "plimsoll/mpi/detail/host.hpp"

using plimsoll::mpi::Call;

namespace {

void begin() {
    plimsoll_region_host.writes = 1;
    plimsoll::mpi::set_measuring(true);
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
    begin();
    Call call("MPI_Init");
    return call.end(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    begin();
    Call call("MPI_Init_thread");
    return call.end(PMPI_Init_thread(argc, argv, required, provided));
}

/// Its time is that until all ranks have come to it. What regions do after it is not measured.
int MPI_Finalize() {
    {
        Call call("MPI_Finalize");
        call.end(PMPI_Barrier(MPI_COMM_WORLD));
    }
    plimsoll::mpi::set_measuring(false);
    plimsoll::mpi::report();
    return PMPI_Finalize();
}

/// 0 leaves out what follows, any other level measures again.
int MPI_Pcontrol(const int level, ...) {
    plimsoll::mpi::set_measuring(level != 0);
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype* type) {
    plimsoll::mpi::forget_sizes();
    return PMPI_Type_free(type);
}

}  // extern "C"
