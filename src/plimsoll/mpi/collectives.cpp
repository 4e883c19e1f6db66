// Collective operations. Bytes sent are those that this rank hands in, bytes received those that it gets out,
// its own part included; what the algorithm really sends is MPI's affair. Nonblocking ones count when they
// are posted.

#include "plimsoll/mpi/detail/call.hpp"
#include "plimsoll/mpi/detail/members.hpp"

using plimsoll::mpi::bytes_of;
using plimsoll::mpi::Call;
using plimsoll::mpi::Members;

namespace {

void count_broadcast(Call& call, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    if (members.is_root(root))
        call.sends(count, type);
    else if (members.is_with_root(root))
        call.receives(count, type);
}

void count_reduction(Call& call, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    if (members.is_with_root(root)) call.sends(count, type);
    if (members.is_root(root)) call.receives(count, type);
}

/// As many in as out.
void count_equal(Call& call, int count, MPI_Datatype type) {
    call.sends(count, type);
    call.receives(count, type);
}

/// The first rank gets nothing out.
void count_exclusive_scan(Call& call, int count, MPI_Datatype type, MPI_Comm comm) {
    if (!call.counts()) return;
    call.sends(count, type);
    if (Members(comm).rank > 0) call.receives(count, type);
}

void count_reduce_scatter(Call& call, const int* counts, MPI_Datatype type, MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    call.sends(bytes_of(counts, type, members.size));
    call.receives(counts[members.rank], type);
}

void count_reduce_scatter_block(Call& call, int count, MPI_Datatype type, MPI_Comm comm) {
    if (!call.counts()) return;
    const std::uint64_t part = Call::bytes_of(count, type);
    call.sends(static_cast<std::uint64_t>(Members(comm).size) * part);
    call.receives(part);
}

/// What a rank sends or gets in equal parts.
struct Part {
    int count;
    MPI_Datatype type;
    [[nodiscard]] std::uint64_t bytes() const { return Call::bytes_of(count, type); }
    [[nodiscard]] std::uint64_t bytes(int peers) const { return static_cast<std::uint64_t>(peers) * bytes(); }
};

/// The same in unequal parts.
struct Parts {
    const int* counts;
    MPI_Datatype type;
    [[nodiscard]] std::uint64_t bytes_at(int rank) const { return Call::bytes_of(counts[rank], type); }
    [[nodiscard]] std::uint64_t bytes(int peers) const { return bytes_of(counts, type, peers); }
};
std::uint64_t bytes_at(const Part& part, int /*rank*/) { return part.bytes(); }
std::uint64_t bytes_at(const Parts& parts, int rank) { return parts.bytes_at(rank); }

/// The root's arguments about all ranks mean nothing on the others.
template <class All>
void count_gather(Call& call, const void* send, const Part& mine, const All& all, int root, MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    if (members.is_with_root(root))
        call.sends(send == MPI_IN_PLACE ? bytes_at(all, members.rank) : mine.bytes());
    if (members.is_root(root)) call.receives(all.bytes(members.peers));
}

template <class All>
void count_scatter(Call& call, const All& all, const void* receive, const Part& mine, int root,
                   MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    if (members.is_root(root)) call.sends(all.bytes(members.peers));
    if (members.is_with_root(root))
        call.receives(receive == MPI_IN_PLACE ? bytes_at(all, members.rank) : mine.bytes());
}

template <class All>
void count_gather_to_all(Call& call, const void* send, const Part& mine, const All& all, MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    call.sends(send == MPI_IN_PLACE ? bytes_at(all, members.rank) : mine.bytes());
    call.receives(all.bytes(members.peers));
}

/// In place, as much goes out as comes in.
template <class All>
void count_exchange(Call& call, const void* send, const All& out, const All& in, MPI_Comm comm) {
    if (!call.counts()) return;
    const Members members(comm);
    call.sends((send == MPI_IN_PLACE ? in : out).bytes(members.peers));
    call.receives(in.bytes(members.peers));
}

/// Parts with a type each.
struct TypedParts {
    const int* counts;
    const MPI_Datatype* types;
    [[nodiscard]] std::uint64_t bytes(int peers) const { return bytes_of(counts, types, peers); }
};

}  // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
    Call call("MPI_Barrier");
    return call.end(PMPI_Barrier(comm));
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Ibarrier");
    return call.end(PMPI_Ibarrier(comm, request));
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    Call call("MPI_Bcast");
    const int result = call.end(PMPI_Bcast(buffer, count, type, root, comm));
    count_broadcast(call, count, type, root, comm);
    return result;
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Ibcast");
    const int result = call.end(PMPI_Ibcast(buffer, count, type, root, comm, request));
    count_broadcast(call, count, type, root, comm);
    return result;
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, int root,
               MPI_Comm comm) {
    Call call("MPI_Reduce");
    const int result = call.end(PMPI_Reduce(send, receive, count, type, operation, root, comm));
    count_reduction(call, count, type, root, comm);
    return result;
}

int MPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, int root,
                MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Ireduce");
    const int result = call.end(PMPI_Ireduce(send, receive, count, type, operation, root, comm, request));
    count_reduction(call, count, type, root, comm);
    return result;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
    Call call("MPI_Allreduce");
    const int result = call.end(PMPI_Allreduce(send, receive, count, type, operation, comm));
    count_equal(call, count, type);
    return result;
}

int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Iallreduce");
    const int result = call.end(PMPI_Iallreduce(send, receive, count, type, operation, comm, request));
    count_equal(call, count, type);
    return result;
}

int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
    Call call("MPI_Scan");
    const int result = call.end(PMPI_Scan(send, receive, count, type, operation, comm));
    count_equal(call, count, type);
    return result;
}

int MPI_Iscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
              MPI_Request* request) {
    Call call("MPI_Iscan");
    const int result = call.end(PMPI_Iscan(send, receive, count, type, operation, comm, request));
    count_equal(call, count, type);
    return result;
}

int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
               MPI_Comm comm) {
    Call call("MPI_Exscan");
    const int result = call.end(PMPI_Exscan(send, receive, count, type, operation, comm));
    count_exclusive_scan(call, count, type, comm);
    return result;
}

int MPI_Iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Iexscan");
    const int result = call.end(PMPI_Iexscan(send, receive, count, type, operation, comm, request));
    count_exclusive_scan(call, count, type, comm);
    return result;
}

int MPI_Reduce_scatter(const void* send, void* receive, const int receive_counts[], MPI_Datatype type,
                       MPI_Op operation, MPI_Comm comm) {
    Call call("MPI_Reduce_scatter");
    const int result = call.end(PMPI_Reduce_scatter(send, receive, receive_counts, type, operation, comm));
    count_reduce_scatter(call, receive_counts, type, comm);
    return result;
}

int MPI_Ireduce_scatter(const void* send, void* receive, const int receive_counts[], MPI_Datatype type,
                        MPI_Op operation, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Ireduce_scatter");
    const int result =
        call.end(PMPI_Ireduce_scatter(send, receive, receive_counts, type, operation, comm, request));
    count_reduce_scatter(call, receive_counts, type, comm);
    return result;
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int receive_count, MPI_Datatype type,
                             MPI_Op operation, MPI_Comm comm) {
    Call call("MPI_Reduce_scatter_block");
    const int result =
        call.end(PMPI_Reduce_scatter_block(send, receive, receive_count, type, operation, comm));
    count_reduce_scatter_block(call, receive_count, type, comm);
    return result;
}

int MPI_Ireduce_scatter_block(const void* send, void* receive, int receive_count, MPI_Datatype type,
                              MPI_Op operation, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Ireduce_scatter_block");
    const int result =
        call.end(PMPI_Ireduce_scatter_block(send, receive, receive_count, type, operation, comm, request));
    count_reduce_scatter_block(call, receive_count, type, comm);
    return result;
}

int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Call call("MPI_Gather");
    const int result =
        call.end(PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
    count_gather(call, send, {send_count, send_type}, Part{receive_count, receive_type}, root, comm);
    return result;
}

int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Igather");
    const int result = call.end(
        PMPI_Igather(send, send_count, send_type, receive, receive_count, receive_type, root, comm, request));
    count_gather(call, send, {send_count, send_type}, Part{receive_count, receive_type}, root, comm);
    return result;
}

int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                const int receive_counts[], const int offsets[], MPI_Datatype receive_type, int root,
                MPI_Comm comm) {
    Call call("MPI_Gatherv");
    const int result = call.end(PMPI_Gatherv(send, send_count, send_type, receive, receive_counts, offsets,
                                             receive_type, root, comm));
    count_gather(call, send, {send_count, send_type}, Parts{receive_counts, receive_type}, root, comm);
    return result;
}

int MPI_Igatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int receive_counts[], const int offsets[], MPI_Datatype receive_type, int root,
                 MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Igatherv");
    const int result = call.end(PMPI_Igatherv(send, send_count, send_type, receive, receive_counts, offsets,
                                              receive_type, root, comm, request));
    count_gather(call, send, {send_count, send_type}, Parts{receive_counts, receive_type}, root, comm);
    return result;
}

int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Call call("MPI_Scatter");
    const int result =
        call.end(PMPI_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
    count_scatter(call, Part{send_count, send_type}, receive, {receive_count, receive_type}, root, comm);
    return result;
}

int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Iscatter");
    const int result = call.end(PMPI_Iscatter(send, send_count, send_type, receive, receive_count,
                                              receive_type, root, comm, request));
    count_scatter(call, Part{send_count, send_type}, receive, {receive_count, receive_type}, root, comm);
    return result;
}

int MPI_Scatterv(const void* send, const int send_counts[], const int offsets[], MPI_Datatype send_type,
                 void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Call call("MPI_Scatterv");
    const int result = call.end(PMPI_Scatterv(send, send_counts, offsets, send_type, receive, receive_count,
                                              receive_type, root, comm));
    count_scatter(call, Parts{send_counts, send_type}, receive, {receive_count, receive_type}, root, comm);
    return result;
}

int MPI_Iscatterv(const void* send, const int send_counts[], const int offsets[], MPI_Datatype send_type,
                  void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                  MPI_Request* request) {
    Call call("MPI_Iscatterv");
    const int result = call.end(PMPI_Iscatterv(send, send_counts, offsets, send_type, receive, receive_count,
                                               receive_type, root, comm, request));
    count_scatter(call, Parts{send_counts, send_type}, receive, {receive_count, receive_type}, root, comm);
    return result;
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
    Call call("MPI_Allgather");
    const int result =
        call.end(PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm));
    count_gather_to_all(call, send, {send_count, send_type}, Part{receive_count, receive_type}, comm);
    return result;
}

int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Iallgather");
    const int result = call.end(
        PMPI_Iallgather(send, send_count, send_type, receive, receive_count, receive_type, comm, request));
    count_gather_to_all(call, send, {send_count, send_type}, Part{receive_count, receive_type}, comm);
    return result;
}

int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   const int receive_counts[], const int offsets[], MPI_Datatype receive_type,
                   MPI_Comm comm) {
    Call call("MPI_Allgatherv");
    const int result = call.end(
        PMPI_Allgatherv(send, send_count, send_type, receive, receive_counts, offsets, receive_type, comm));
    count_gather_to_all(call, send, {send_count, send_type}, Parts{receive_counts, receive_type}, comm);
    return result;
}

int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int receive_counts[], const int offsets[], MPI_Datatype receive_type, MPI_Comm comm,
                    MPI_Request* request) {
    Call call("MPI_Iallgatherv");
    const int result = call.end(PMPI_Iallgatherv(send, send_count, send_type, receive, receive_counts,
                                                 offsets, receive_type, comm, request));
    count_gather_to_all(call, send, {send_count, send_type}, Parts{receive_counts, receive_type}, comm);
    return result;
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
    Call call("MPI_Alltoall");
    const int result =
        call.end(PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm));
    count_exchange(call, send, Part{send_count, send_type}, Part{receive_count, receive_type}, comm);
    return result;
}

int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
    Call call("MPI_Ialltoall");
    const int result = call.end(
        PMPI_Ialltoall(send, send_count, send_type, receive, receive_count, receive_type, comm, request));
    count_exchange(call, send, Part{send_count, send_type}, Part{receive_count, receive_type}, comm);
    return result;
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_offsets[], MPI_Datatype send_type,
                  void* receive, const int receive_counts[], const int receive_offsets[],
                  MPI_Datatype receive_type, MPI_Comm comm) {
    Call call("MPI_Alltoallv");
    const int result = call.end(PMPI_Alltoallv(send, send_counts, send_offsets, send_type, receive,
                                               receive_counts, receive_offsets, receive_type, comm));
    count_exchange(call, send, Parts{send_counts, send_type}, Parts{receive_counts, receive_type}, comm);
    return result;
}

int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_offsets[],
                   MPI_Datatype send_type, void* receive, const int receive_counts[],
                   const int receive_offsets[], MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Request* request) {
    Call call("MPI_Ialltoallv");
    const int result =
        call.end(PMPI_Ialltoallv(send, send_counts, send_offsets, send_type, receive, receive_counts,
                                 receive_offsets, receive_type, comm, request));
    count_exchange(call, send, Parts{send_counts, send_type}, Parts{receive_counts, receive_type}, comm);
    return result;
}

int MPI_Alltoallw(const void* send, const int send_counts[], const int send_offsets[],
                  const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                  const int receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm) {
    Call call("MPI_Alltoallw");
    const int result = call.end(PMPI_Alltoallw(send, send_counts, send_offsets, send_types, receive,
                                               receive_counts, receive_offsets, receive_types, comm));
    count_exchange(call, send, TypedParts{send_counts, send_types}, TypedParts{receive_counts, receive_types},
                   comm);
    return result;
}

int MPI_Ialltoallw(const void* send, const int send_counts[], const int send_offsets[],
                   const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                   const int receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm,
                   MPI_Request* request) {
    Call call("MPI_Ialltoallw");
    const int result =
        call.end(PMPI_Ialltoallw(send, send_counts, send_offsets, send_types, receive, receive_counts,
                                 receive_offsets, receive_types, comm, request));
    count_exchange(call, send, TypedParts{send_counts, send_types}, TypedParts{receive_counts, receive_types},
                   comm);
    return result;
}

}  // extern "C"
