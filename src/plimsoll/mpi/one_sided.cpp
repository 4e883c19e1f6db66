// One-sided operations. What goes to the target counts as sent, what comes from it as received, when it is
// posted.

#include "plimsoll/mpi/detail/call.hpp"

using plimsoll::mpi::Call;

extern "C" {

int MPI_Put(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
    Call call("MPI_Put");
    const int result =
        call.end(PMPI_Put(origin, count, type, target, offset, target_count, target_type, window));
    call.sends_to(target, count, type);
    return result;
}

int MPI_Rput(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_cout,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
    Call call("MPI_Rput");
    const int result =
        call.end(PMPI_Rput(origin, count, type, target, offset, target_cout, target_type, window, request));
    call.sends_to(target, count, type);
    return result;
}

int MPI_Get(void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
    Call call("MPI_Get");
    const int result =
        call.end(PMPI_Get(origin, count, type, target, offset, target_count, target_type, window));
    if (target != MPI_PROC_NULL) call.receives(count, type);
    return result;
}

int MPI_Rget(void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {
    Call call("MPI_Rget");
    const int result =
        call.end(PMPI_Rget(origin, count, type, target, offset, target_count, target_type, window, request));
    if (target != MPI_PROC_NULL) call.receives(count, type);
    return result;
}

int MPI_Accumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset,
                   int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window) {
    Call call("MPI_Accumulate");
    const int result = call.end(
        PMPI_Accumulate(origin, count, type, target, offset, target_count, target_type, operation, window));
    call.sends_to(target, count, type);
    return result;
}

int MPI_Raccumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint offset,
                    int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window,
                    MPI_Request* request) {
    Call call("MPI_Raccumulate");
    const int result = call.end(PMPI_Raccumulate(origin, count, type, target, offset, target_count,
                                                 target_type, operation, window, request));
    call.sends_to(target, count, type);
    return result;
}

int MPI_Get_accumulate(const void* origin, int count, MPI_Datatype type, void* result_buffer,
                       int result_count, MPI_Datatype result_type, int target, MPI_Aint offset,
                       int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window) {
    Call call("MPI_Get_accumulate");
    const int result =
        call.end(PMPI_Get_accumulate(origin, count, type, result_buffer, result_count, result_type, target,
                                     offset, target_count, target_type, operation, window));
    call.sends_to(target, count, type);
    if (target != MPI_PROC_NULL) call.receives(result_count, result_type);
    return result;
}

int MPI_Rget_accumulate(const void* origin, int count, MPI_Datatype type, void* result_buffer,
                        int result_count, MPI_Datatype result_type, int target, MPI_Aint offset,
                        int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window,
                        MPI_Request* request) {
    Call call("MPI_Rget_accumulate");
    const int result =
        call.end(PMPI_Rget_accumulate(origin, count, type, result_buffer, result_count, result_type, target,
                                      offset, target_count, target_type, operation, window, request));
    call.sends_to(target, count, type);
    if (target != MPI_PROC_NULL) call.receives(result_count, result_type);
    return result;
}

int MPI_Fetch_and_op(const void* origin, void* result_buffer, MPI_Datatype type, int target, MPI_Aint offset,
                     MPI_Op operation, MPI_Win window) {
    Call call("MPI_Fetch_and_op");
    const int result =
        call.end(PMPI_Fetch_and_op(origin, result_buffer, type, target, offset, operation, window));
    call.sends_to(target, 1, type);
    if (target != MPI_PROC_NULL) call.receives(1, type);
    return result;
}

int MPI_Compare_and_swap(const void* origin, const void* compared, void* result_buffer, MPI_Datatype type,
                         int target, MPI_Aint offset, MPI_Win window) {
    Call call("MPI_Compare_and_swap");
    const int result =
        call.end(PMPI_Compare_and_swap(origin, compared, result_buffer, type, target, offset, window));
    call.sends_to(target, 1, type);
    if (target != MPI_PROC_NULL) call.receives(1, type);
    return result;
}

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window) {
    Call call("MPI_Win_create");
    return call.end(PMPI_Win_create(base, size, unit, info, comm, window));
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* window) {
    Call call("MPI_Win_allocate");
    return call.end(PMPI_Win_allocate(size, unit, info, comm, baseptr, window));
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                            MPI_Win* window) {
    Call call("MPI_Win_allocate_shared");
    return call.end(PMPI_Win_allocate_shared(size, unit, info, comm, baseptr, window));
}

int MPI_Win_free(MPI_Win* window) {
    Call call("MPI_Win_free");
    return call.end(PMPI_Win_free(window));
}

int MPI_Win_fence(int assertion, MPI_Win window) {
    Call call("MPI_Win_fence");
    return call.end(PMPI_Win_fence(assertion, window));
}

int MPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win window) {
    Call call("MPI_Win_lock");
    return call.end(PMPI_Win_lock(lock_type, rank, assertion, window));
}

int MPI_Win_lock_all(int assertion, MPI_Win window) {
    Call call("MPI_Win_lock_all");
    return call.end(PMPI_Win_lock_all(assertion, window));
}

int MPI_Win_unlock(int rank, MPI_Win window) {
    Call call("MPI_Win_unlock");
    return call.end(PMPI_Win_unlock(rank, window));
}

int MPI_Win_unlock_all(MPI_Win window) {
    Call call("MPI_Win_unlock_all");
    return call.end(PMPI_Win_unlock_all(window));
}

int MPI_Win_flush(int rank, MPI_Win window) {
    Call call("MPI_Win_flush");
    return call.end(PMPI_Win_flush(rank, window));
}

int MPI_Win_flush_all(MPI_Win window) {
    Call call("MPI_Win_flush_all");
    return call.end(PMPI_Win_flush_all(window));
}

int MPI_Win_flush_local(int rank, MPI_Win window) {
    Call call("MPI_Win_flush_local");
    return call.end(PMPI_Win_flush_local(rank, window));
}

int MPI_Win_flush_local_all(MPI_Win window) {
    Call call("MPI_Win_flush_local_all");
    return call.end(PMPI_Win_flush_local_all(window));
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window) {
    Call call("MPI_Win_start");
    return call.end(PMPI_Win_start(group, assertion, window));
}

int MPI_Win_complete(MPI_Win window) {
    Call call("MPI_Win_complete");
    return call.end(PMPI_Win_complete(window));
}

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window) {
    Call call("MPI_Win_post");
    return call.end(PMPI_Win_post(group, assertion, window));
}

int MPI_Win_wait(MPI_Win window) {
    Call call("MPI_Win_wait");
    return call.end(PMPI_Win_wait(window));
}

int MPI_Win_test(MPI_Win window, int* flag) {
    Call call("MPI_Win_test");
    return call.end(PMPI_Win_test(window, flag));
}

}  // extern "C"
