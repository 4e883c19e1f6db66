// Waiting for requests and testing them. Bytes of a nonblocking receive count for the call that completes it.

#include "plimsoll/mpi/detail/call.hpp"
#include "plimsoll/mpi/detail/requests.hpp"

using plimsoll::mpi::Call;
using plimsoll::mpi::Completion;

namespace {

/// Number `count` from C, where a program may pass a negative one.
std::size_t length(int count) { return count > 0 ? static_cast<std::size_t>(count) : 0; }

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    Completion completion({request, 1});
    Call call("MPI_Wait");
    const int result = call.end(PMPI_Wait(request, completion.statuses(status)));
    if (result == MPI_SUCCESS) completion.complete(call, 0, 0);
    return result;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    Completion completion({request, 1});
    Call call("MPI_Test");
    const int result = call.end(PMPI_Test(request, flag, completion.statuses(status)));
    if (result == MPI_SUCCESS && *flag != 0) completion.complete(call, 0, 0);
    return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
    Completion completion({requests, length(count)});
    Call call("MPI_Waitall");
    const int result = call.end(PMPI_Waitall(count, requests, completion.statuses(statuses)));
    for (std::size_t i = 0; i < length(count) && result == MPI_SUCCESS; ++i) completion.complete(call, i, i);
    return result;
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
    Completion completion({requests, length(count)});
    Call call("MPI_Testall");
    const int result = call.end(PMPI_Testall(count, requests, flag, completion.statuses(statuses)));
    for (std::size_t i = 0; i < length(count) && result == MPI_SUCCESS && *flag != 0; ++i)
        completion.complete(call, i, i);
    return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    Completion completion({requests, length(count)});
    Call call("MPI_Waitany");
    const int result = call.end(PMPI_Waitany(count, requests, index, completion.statuses(status)));
    if (result == MPI_SUCCESS && *index >= 0) completion.complete(call, length(*index), 0);
    return result;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    Completion completion({requests, length(count)});
    Call call("MPI_Testany");
    const int result = call.end(PMPI_Testany(count, requests, index, flag, completion.statuses(status)));
    if (result == MPI_SUCCESS && *flag != 0 && *index >= 0) completion.complete(call, length(*index), 0);
    return result;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
    Completion completion({requests, length(count)});
    Call call("MPI_Waitsome");
    const int result =
        call.end(PMPI_Waitsome(count, requests, completed, indices, completion.statuses(statuses)));
    for (int i = 0; result == MPI_SUCCESS && i < *completed; ++i)
        completion.complete(call, length(indices[i]), length(i));
    return result;
}

int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
    Completion completion({requests, length(count)});
    Call call("MPI_Testsome");
    const int result =
        call.end(PMPI_Testsome(count, requests, completed, indices, completion.statuses(statuses)));
    for (int i = 0; result == MPI_SUCCESS && i < *completed; ++i)
        completion.complete(call, length(indices[i]), length(i));
    return result;
}

int MPI_Request_free(MPI_Request* request) {
    plimsoll::mpi::forget(*request);
    return PMPI_Request_free(request);
}

}  // extern "C"
