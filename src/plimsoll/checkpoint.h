/* Checkpoints for programs in C, and in whatever calls C: protect memory by numbers, save it while the program goes
   on, restore it after a restart. What is called saved can be restored, after a kill or a power failure too.

   The verbs and their order are those of VeloC, so that programs change to this by renaming: docs/guide/veloc.md.

       plimsoll_checkpoint_init("saves");
       plimsoll_mem_protect(0, field, count, sizeof *field);
       plimsoll_mem_protect(1, &step, 1, sizeof step);
       int version = plimsoll_restart_newest("run");
       while (step < steps) {
           advance(field);
           if (++step % 100 == 0) plimsoll_checkpoint("run", step);
       }
       plimsoll_checkpoint_finalize(1);

   All functions return PLIMSOLL_SUCCESS or a code below zero, and plimsoll_checkpoint_message() then says why. They
   are for one thread. With several ranks (plimsoll/checkpoint_mpi.h) all of them make the same calls in the same
   order. */
#ifndef PLIMSOLL_CHECKPOINT_H
#define PLIMSOLL_CHECKPOINT_H

/* C, and not C++ as the checks know it. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming) */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PLIMSOLL_SUCCESS = 0,
    PLIMSOLL_FAILURE = -1,  /* the machine refused: disk full, no permission, a rank that died */
    PLIMSOLL_USAGE = -2,    /* an argument or the order of calls is wrong */
    PLIMSOLL_DAMAGED = -3,  /* a checkpoint cannot be read; older ones may be whole */
    PLIMSOLL_NOT_FOUND = -4, /* there is no such checkpoint; no message */
    PLIMSOLL_INTERNAL = -5  /* a bug of ours */
};

/* Which numbers a call means. */
enum { PLIMSOLL_ALL = 0, PLIMSOLL_SOME = 1, PLIMSOLL_REST = 2 };

/* Types of elements, as they are called in the files. */
typedef enum {
    PLIMSOLL_BOOL,
    PLIMSOLL_UINT8,
    PLIMSOLL_INT8,
    PLIMSOLL_UINT16,
    PLIMSOLL_INT16,
    PLIMSOLL_FLOAT16,
    PLIMSOLL_BFLOAT16,
    PLIMSOLL_UINT32,
    PLIMSOLL_INT32,
    PLIMSOLL_FLOAT32,
    PLIMSOLL_UINT64,
    PLIMSOLL_INT64,
    PLIMSOLL_FLOAT64
} plimsoll_type;

typedef struct {
    const char* folder;        /* on a file system that all ranks see; made where it is not there */
    unsigned keep;             /* newest checkpoints of a name that stay; at least 2 */
    unsigned long long memory; /* bytes that copies may take on this rank; 0: twice what is protected */
    int captures_lazily;       /* not 0: see Session::set_capture, and plimsoll_checkpoint_fence */
} plimsoll_checkpoint_options;

/* Keeps 2, copies at once. */
plimsoll_checkpoint_options plimsoll_checkpoint_defaults(const char* folder);

/* Begins: a program of one process. */
int plimsoll_checkpoint_init(const char* folder);
int plimsoll_checkpoint_init_with(const plimsoll_checkpoint_options* options);

/* Ends: waits for what is being written. `tells` not 0: fails where a last checkpoint has failed. */
int plimsoll_checkpoint_finalize(int tells);

/* Protects memory of this rank under a number. The same number again replaces it. */
int plimsoll_mem_protect(int id, void* address, size_t count, size_t element_bytes);
/* The same with a name and a plimsoll_type, for those who read the files with other tools. */
int plimsoll_mem_protect_as(int id, const char* name, void* address, size_t count, int type);
int plimsoll_mem_unprotect(int id);

/* Saves what is protected: captured when this returns, and written while the program goes on. Versions of a name are
   any numbers from 0 on; the newest is the one saved last. */
int plimsoll_checkpoint(const char* name, int version);
/* The same in parts. It is captured by `end`, and not at all where a rank passes 0 there. */
int plimsoll_checkpoint_begin(const char* name, int version);
int plimsoll_checkpoint_mem(void);
int plimsoll_checkpoint_selective(int mode, const int* ids, int count);
int plimsoll_checkpoint_end(int success);

/* Waits until all that was saved is on the disk, on all ranks; fails where a last checkpoint has failed. */
int plimsoll_checkpoint_wait(void);
/* 1 once nothing is being written any more, else 0. */
int plimsoll_checkpoint_ready(void);
/* With captures_lazily: returns once memory may be written to by the system, MPI or devices. */
int plimsoll_checkpoint_fence(void);

/* The newest version below `below`, 0: the newest of all; PLIMSOLL_NOT_FOUND where there is none. */
int plimsoll_restart_test(const char* name, int below);
/* Fills what is protected from one version. */
int plimsoll_restart(const char* name, int version);
/* Fills it from the newest version that is whole, and returns that. */
int plimsoll_restart_newest(const char* name);
/* The same in parts. */
int plimsoll_restart_begin(const char* name, int version);
int plimsoll_recover_mem(void);
int plimsoll_recover_selective(int mode, const int* ids, int count);
/* Bytes that this rank saved under a number; PLIMSOLL_NOT_FOUND where there are none. */
long long plimsoll_recover_size(int id);
int plimsoll_restart_end(int success);

/* Why the last call failed, and what to do: "MESSAGE; HINT". Valid until the next call. */
const char* plimsoll_checkpoint_message(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
