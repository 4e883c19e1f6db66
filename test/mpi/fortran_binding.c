/* Calls MPI as a Fortran program does, by the functions that its compiler would call. */

#include <mpi.h>

void mpi_init_(int* error);
void mpi_finalize_(int* error);
void mpi_allreduce_(const void* send, void* receive, const int* count, const int* type, const int* operation,
                    const int* comm, int* error);
void mpi_irecv_(void* buffer, const int* count, const int* type, const int* from, const int* tag, const int* comm,
                int* request, int* error);
void mpi_send_(const void* buffer, const int* count, const int* type, const int* to, const int* tag, const int* comm,
               int* error);
void mpi_waitall_(const int* count, int* requests, int* statuses, int* error);

int main(void) {
    int error, rank, size, out[4] = {1, 2, 3, 4}, in[10], statuses[32], request;
    const int four = 4, ten = 10, one = 1, tag = 0;
    mpi_init_(&error);
    const int comm = MPI_Comm_c2f(MPI_COMM_WORLD), type = MPI_Type_c2f(MPI_INT), sum = MPI_Op_c2f(MPI_SUM);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    mpi_allreduce_(out, in, &four, &type, &sum, &comm, &error);
    mpi_irecv_(in, &ten, &type, &left, &tag, &comm, &request, &error);
    mpi_send_(out, &four, &type, &right, &tag, &comm, &error);
    mpi_waitall_(&one, &request, statuses, &error);
    mpi_finalize_(&error);
    return in[0] == 1 && in[3] == 4 ? 0 : 1;
}
