// Messages between two ranks. Bytes sent are those posted, whenever they leave; bytes received those of the
// status.

#include "plimsoll/mpi/detail/call.hpp"
#include "plimsoll/mpi/detail/requests.hpp"

using plimsoll::mpi::Call;
using plimsoll::mpi::Pending;
using plimsoll::mpi::StatusOf;

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    Call call("MPI_Send");
    const int result = call.end(PMPI_Send(buffer, count, type, to, tag, comm));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Bsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    Call call("MPI_Bsend");
    const int result = call.end(PMPI_Bsend(buffer, count, type, to, tag, comm));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    Call call("MPI_Ssend");
    const int result = call.end(PMPI_Ssend(buffer, count, type, to, tag, comm));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Rsend(const void* ibuf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    Call call("MPI_Rsend");
    const int result = call.end(PMPI_Rsend(ibuf, count, type, to, tag, comm));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    Call call("MPI_Isend");
    const int result = call.end(PMPI_Isend(buffer, count, type, to, tag, comm, request));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Ibsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    Call call("MPI_Ibsend");
    const int result = call.end(PMPI_Ibsend(buffer, count, type, to, tag, comm, request));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    Call call("MPI_Issend");
    const int result = call.end(PMPI_Issend(buffer, count, type, to, tag, comm, request));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    Call call("MPI_Irsend");
    const int result = call.end(PMPI_Irsend(buffer, count, type, to, tag, comm, request));
    call.sends_to(to, count, type);
    return result;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
    Call call("MPI_Recv");
    StatusOf known(status);
    const int result = call.end(PMPI_Recv(buffer, count, type, from, tag, comm, known.get()));
    call.receives(*known);
    return result;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    Call call("MPI_Mrecv");
    StatusOf known(status);
    const int result = call.end(PMPI_Mrecv(buffer, count, type, message, known.get()));
    call.receives(*known);
    return result;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
    Call call("MPI_Irecv");
    const int result = call.end(PMPI_Irecv(buffer, count, type, from, tag, comm, request));
    if (result == MPI_SUCCESS) plimsoll::mpi::remember(*request, {.kind = Pending::Kind::receive});
    return result;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    Call call("MPI_Imrecv");
    const int result = call.end(PMPI_Imrecv(buffer, count, type, message, request));
    if (result == MPI_SUCCESS) plimsoll::mpi::remember(*request, {.kind = Pending::Kind::receive});
    return result;
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag,
                 void* receive, int receive_count, MPI_Datatype receive_type, int from, int receive_tag,
                 MPI_Comm comm, MPI_Status* status) {
    Call call("MPI_Sendrecv");
    StatusOf known(status);
    const int result =
        call.end(PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count,
                               receive_type, from, receive_tag, comm, known.get()));
    call.sends_to(to, send_count, send_type);
    call.receives(*known);
    return result;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int receive_tag, MPI_Comm comm, MPI_Status* status) {
    Call call("MPI_Sendrecv_replace");
    StatusOf known(status);
    const int result = call.end(
        PMPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, receive_tag, comm, known.get()));
    call.sends_to(to, count, type);
    call.receives(*known);
    return result;
}

int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    Call call("MPI_Send_init");
    const int result = call.end(PMPI_Send_init(buffer, count, type, to, tag, comm, request));
    if (result == MPI_SUCCESS && to != MPI_PROC_NULL)
        plimsoll::mpi::remember(
            *request, {.kind = Pending::Kind::persistent_send, .bytes = Call::bytes_of(count, type)});
    return result;
}

int MPI_Bsend_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    Call call("MPI_Bsend_init");
    const int result = call.end(PMPI_Bsend_init(buffer, count, type, to, tag, comm, request));
    if (result == MPI_SUCCESS && to != MPI_PROC_NULL)
        plimsoll::mpi::remember(
            *request, {.kind = Pending::Kind::persistent_send, .bytes = Call::bytes_of(count, type)});
    return result;
}

int MPI_Ssend_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    Call call("MPI_Ssend_init");
    const int result = call.end(PMPI_Ssend_init(buffer, count, type, to, tag, comm, request));
    if (result == MPI_SUCCESS && to != MPI_PROC_NULL)
        plimsoll::mpi::remember(
            *request, {.kind = Pending::Kind::persistent_send, .bytes = Call::bytes_of(count, type)});
    return result;
}

int MPI_Rsend_init(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    Call call("MPI_Rsend_init");
    const int result = call.end(PMPI_Rsend_init(buffer, count, type, to, tag, comm, request));
    if (result == MPI_SUCCESS && to != MPI_PROC_NULL)
        plimsoll::mpi::remember(
            *request, {.kind = Pending::Kind::persistent_send, .bytes = Call::bytes_of(count, type)});
    return result;
}

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    Call call("MPI_Recv_init");
    const int result = call.end(PMPI_Recv_init(buffer, count, type, from, tag, comm, request));
    if (result == MPI_SUCCESS) plimsoll::mpi::remember(*request, {.kind = Pending::Kind::persistent_receive});
    return result;
}

int MPI_Start(MPI_Request* request) {
    Call call("MPI_Start");
    const int result = call.end(PMPI_Start(request));
    if (call.counts()) plimsoll::mpi::count_start(call, *request);
    return result;
}

int MPI_Startall(int count, MPI_Request requests[]) {
    Call call("MPI_Startall");
    const int result = call.end(PMPI_Startall(count, requests));
    for (int i = 0; i < count && call.counts(); ++i) plimsoll::mpi::count_start(call, requests[i]);
    return result;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
    Call call("MPI_Probe");
    return call.end(PMPI_Probe(from, tag, comm, status));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    Call call("MPI_Iprobe");
    return call.end(PMPI_Iprobe(from, tag, comm, flag, status));
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    Call call("MPI_Mprobe");
    return call.end(PMPI_Mprobe(from, tag, comm, message, status));
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    Call call("MPI_Improbe");
    return call.end(PMPI_Improbe(from, tag, comm, flag, message, status));
}

}  // extern "C"
