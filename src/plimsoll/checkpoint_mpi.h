/* plimsoll/checkpoint.h for the ranks of an MPI communicator. */
#ifndef PLIMSOLL_CHECKPOINT_MPI_H
#define PLIMSOLL_CHECKPOINT_MPI_H

#include <mpi.h>

#include "plimsoll/checkpoint.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins, in place of plimsoll_checkpoint_init: after MPI_Init, on all ranks. To be ended before MPI_Finalize. */
int plimsoll_checkpoint_init_mpi(MPI_Comm ranks, const char* folder);
int plimsoll_checkpoint_init_mpi_with(MPI_Comm ranks, const plimsoll_checkpoint_options* options);

#ifdef __cplusplus
}
#endif

#endif
