/* Calls each function of MPI that moves data, and tells what that moves.
 *
 * Standard output, from the first rank: a line "function sent received" each, bytes of all ranks together.
 */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define LENGTH 64

static int rank, size;

struct Told {
    const char* function;
    double bytes[2];
};
static struct Told told[100];
static int told_count;

/* This rank's share: what it hands in and what it gets out. */
static void tell(const char* function, double sent, double received) {
    int i = 0;
    while (i < told_count && strcmp(told[i].function, function) != 0) ++i;
    if (i == told_count) told[told_count++].function = function;
    told[i].bytes[0] += sent;
    told[i].bytes[1] += received;
}

static double out[LENGTH * LENGTH], in[LENGTH * LENGTH];
static int right, left;

static void messages(MPI_Comm comm) {
    MPI_Request receive, requests[6];
    MPI_Status status, statuses[6];
    MPI_Message message;
    static char attached[10000];
    int flag, index, count, indices[6];

    /* To oneself, so that blocking ones match a receive that is posted already. */
    MPI_Irecv(in, 5, MPI_DOUBLE, rank, 1, comm, &receive);
    MPI_Send(out, 3, MPI_DOUBLE, rank, 1, comm);
    MPI_Wait(&receive, &status);
    tell("MPI_Send", 24, 0);
    tell("MPI_Wait", 0, 24); /* 3 came, of 5 that there was room for */
    MPI_Irecv(in, 5, MPI_DOUBLE, rank, 1, comm, &receive);
    MPI_Ssend(out, 4, MPI_FLOAT, rank, 1, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    tell("MPI_Ssend", 16, 0);
    tell("MPI_Wait", 0, 16);
    MPI_Irecv(in, 5, MPI_DOUBLE, rank, 1, comm, &receive);
    MPI_Rsend(out, 5, MPI_DOUBLE, rank, 1, comm);
    while (MPI_Test(&receive, &flag, MPI_STATUS_IGNORE), !flag) continue;
    tell("MPI_Rsend", 40, 0);
    tell("MPI_Test", 0, 40);
    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Bsend(out, 7, MPI_CHAR, right, 1, comm);
    MPI_Recv(in, 10, MPI_CHAR, left, 1, comm, MPI_STATUS_IGNORE);
    tell("MPI_Bsend", 7, 0);
    tell("MPI_Recv", 0, 7);
    MPI_Send(out, 7, MPI_CHAR, MPI_PROC_NULL, 1, comm);
    MPI_Recv(in, 7, MPI_CHAR, MPI_PROC_NULL, 1, comm, &status);

    MPI_Sendrecv(out, 9, MPI_INT, right, 2, in, 10, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE);
    tell("MPI_Sendrecv", 36, 36);
    MPI_Sendrecv_replace(in, 9, MPI_INT, right, 2, left, 2, comm, &status);
    tell("MPI_Sendrecv_replace", 36, 36);

    MPI_Isend(out, 2, MPI_DOUBLE, right, 3, comm, &requests[0]);
    MPI_Mprobe(left, 3, comm, &message, &status);
    MPI_Mrecv(in, 2, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    tell("MPI_Isend", 16, 0);
    tell("MPI_Mrecv", 0, 16);

    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, left, i, comm, &requests[i]);
        MPI_Issend(out, i + 1, MPI_DOUBLE, right, i, comm, &requests[3 + i]);
    }
    tell("MPI_Issend", 8 + 16 + 24, 0);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    tell("MPI_Waitall", 0, 8 + 16 + 24);
    MPI_Waitall(6, requests, statuses); /* all are null by now */

    for (int i = 0; i < 3; ++i) MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, left, i, comm, &requests[i]);
    MPI_Barrier(comm);
    for (int i = 0; i < 3; ++i) MPI_Irsend(out, i + 1, MPI_DOUBLE, right, i, comm, &requests[3 + i]);
    tell("MPI_Irsend", 8 + 16 + 24, 0);
    for (int i = 0; i < 6; ++i) MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
    tell("MPI_Waitany", 0, 8 + 16 + 24);

    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, left, i, comm, &requests[i]);
        MPI_Ibsend(out, i + 1, MPI_DOUBLE, right, i, comm, &requests[3 + i]);
    }
    tell("MPI_Ibsend", 8 + 16 + 24, 0);
    for (int left_over = 6; left_over > 0; left_over -= count)
        MPI_Waitsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    tell("MPI_Waitsome", 0, 8 + 16 + 24);

    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, left, i, comm, &requests[i]);
        MPI_Isend(out, i + 1, MPI_DOUBLE, right, i, comm, &requests[3 + i]);
    }
    tell("MPI_Isend", 8 + 16 + 24, 0);
    while (MPI_Testall(6, requests, &flag, MPI_STATUSES_IGNORE), !flag) continue;
    tell("MPI_Testall", 0, 8 + 16 + 24);

    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in + 10 * i, 10, MPI_DOUBLE, left, i, comm, &requests[i]);
        MPI_Isend(out, i + 1, MPI_DOUBLE, right, i, comm, &requests[3 + i]);
    }
    tell("MPI_Isend", 8 + 16 + 24, 0);
    for (int left_over = 3; left_over > 0; left_over -= flag) MPI_Testany(3, requests, &index, &flag, &status);
    tell("MPI_Testany", 0, 8 + 16 + 24);
    for (int left_over = 3; left_over > 0; left_over -= count)
        MPI_Testsome(3, requests + 3, &count, indices, statuses);

    MPI_Send_init(out, 6, MPI_DOUBLE, right, 4, comm, &requests[0]);
    MPI_Recv_init(in, 6, MPI_DOUBLE, left, 4, comm, &requests[1]);
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    tell("MPI_Startall", 3 * 48, 0);
    tell("MPI_Waitall", 0, 3 * 48);
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    tell("MPI_Start", 48, 0);
    MPI_Waitall(2, requests, statuses);
    tell("MPI_Waitall", 0, 48);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    /* A receive that is cancelled got nothing. */
    MPI_Irecv(in, 10, MPI_DOUBLE, left, 99, comm, &receive);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);

    /* A type with gaps: two doubles of each four. */
    MPI_Datatype gaps;
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Sendrecv(out, 2, gaps, right, 5, in, 1000, MPI_BYTE, left, 5, comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&gaps);
    tell("MPI_Sendrecv", 96, 96);
}

static int counts[LENGTH], offsets[LENGTH], byte_offsets[LENGTH];
static MPI_Datatype types[LENGTH];

static void collectives(MPI_Comm comm) {
    MPI_Request r;
    int total = 0, root = size - 1, is_root = rank == root;
    for (int i = 0; i < size; ++i) {
        counts[i] = i + 1;
        offsets[i] = total;
        byte_offsets[i] = 8 * total;
        types[i] = MPI_DOUBLE;
        total += counts[i];
    }
    double mine = 8.0 * counts[rank], all = 8.0 * total;
    int n = counts[rank];
#define BOTH(name, lower, sent, received, ...)      \
    MPI_##name(__VA_ARGS__);                        \
    tell("MPI_" #name, sent, received);             \
    MPI_I##lower(__VA_ARGS__, &r);                  \
    MPI_Wait(&r, MPI_STATUS_IGNORE);                \
    tell("MPI_I" #lower, sent, received)

    BOTH(Barrier, barrier, 0, 0, comm);
    BOTH(Bcast, bcast, is_root ? 40 : 0, is_root ? 0 : 40, in, 5, MPI_DOUBLE, root, comm);
    BOTH(Reduce, reduce, 40, is_root ? 40 : 0, out, in, 5, MPI_DOUBLE, MPI_SUM, root, comm);
    BOTH(Allreduce, allreduce, 40, 40, out, in, 5, MPI_DOUBLE, MPI_SUM, comm);
    BOTH(Allreduce, allreduce, 40, 40, MPI_IN_PLACE, in, 5, MPI_DOUBLE, MPI_SUM, comm);
    BOTH(Scan, scan, 40, 40, out, in, 5, MPI_DOUBLE, MPI_SUM, comm);
    BOTH(Exscan, exscan, 40, rank > 0 ? 40 : 0, out, in, 5, MPI_DOUBLE, MPI_SUM, comm);
    BOTH(Reduce_scatter, reduce_scatter, all, mine, out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
    BOTH(Reduce_scatter_block, reduce_scatter_block, 16.0 * size, 16, out, in, 2, MPI_DOUBLE, MPI_SUM, comm);
    BOTH(Gather, gather, 16, is_root ? 16.0 * size : 0, out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, root, comm);
    BOTH(Gather, gather, 16, is_root ? 16.0 * size : 0, is_root ? MPI_IN_PLACE : out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE,
         root, comm);
    BOTH(Gatherv, gatherv, mine, is_root ? all : 0, out, n, MPI_DOUBLE, in, counts, offsets, MPI_DOUBLE, root, comm);
    BOTH(Gatherv, gatherv, mine, is_root ? all : 0, is_root ? MPI_IN_PLACE : out, n, MPI_DOUBLE, in, counts, offsets,
         MPI_DOUBLE, root, comm);
    BOTH(Scatter, scatter, is_root ? 16.0 * size : 0, 16, out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, root, comm);
    BOTH(Scatter, scatter, is_root ? 16.0 * size : 0, 16, out, 2, MPI_DOUBLE, is_root ? MPI_IN_PLACE : in, 2, MPI_DOUBLE,
         root, comm);
    BOTH(Scatterv, scatterv, is_root ? all : 0, mine, out, counts, offsets, MPI_DOUBLE, in, n, MPI_DOUBLE, root, comm);
    BOTH(Allgather, allgather, 16, 16.0 * size, out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, comm);
    BOTH(Allgather, allgather, 16, 16.0 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_DOUBLE, comm);
    BOTH(Allgatherv, allgatherv, mine, all, out, n, MPI_DOUBLE, in, counts, offsets, MPI_DOUBLE, comm);
    BOTH(Alltoall, alltoall, 24.0 * size, 24.0 * size, out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, comm);
    BOTH(Alltoall, alltoall, 24.0 * size, 24.0 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_DOUBLE, comm);

    /* Each rank sends counts[to] to each other, and so gets its own count from each. */
    int from_each[LENGTH], from_offsets[LENGTH], from_bytes[LENGTH];
    for (int i = 0; i < size; ++i) {
        from_each[i] = n;
        from_offsets[i] = n * i;
        from_bytes[i] = 8 * n * i;
    }
    BOTH(Alltoallv, alltoallv, all, mine * size, out, counts, offsets, MPI_DOUBLE, in, from_each, from_offsets,
         MPI_DOUBLE, comm);
    BOTH(Alltoallw, alltoallw, all, mine * size, out, counts, byte_offsets, types, in, from_each, from_bytes, types,
         comm);
}

/* Between the even and the odd ranks. */
static void between_groups(MPI_Comm world) {
    MPI_Comm half, other;
    int is_odd = rank % 2, my_rank, my_size, other_size;
    if (size < 2) return;
    MPI_Comm_split(world, is_odd, rank, &half);
    MPI_Intercomm_create(half, 0, world, is_odd ? 0 : 1, 7, &other);
    MPI_Comm_rank(half, &my_rank);
    MPI_Comm_size(half, &my_size);
    MPI_Comm_remote_size(other, &other_size);
    int root = is_odd ? 0 : my_rank == 0 ? MPI_ROOT : MPI_PROC_NULL; /* the first of the even ones */
    int is_root = root == MPI_ROOT, is_idle = root == MPI_PROC_NULL;
    MPI_Bcast(in, 5, MPI_DOUBLE, root, other);
    tell("MPI_Bcast", is_root ? 40 : 0, is_root || is_idle ? 0 : 40);
    MPI_Reduce(out, in, 5, MPI_DOUBLE, MPI_SUM, root, other);
    tell("MPI_Reduce", is_root || is_idle ? 0 : 40, is_root ? 40 : 0);
    MPI_Gather(out, 5, MPI_DOUBLE, in, 5, MPI_DOUBLE, root, other);
    tell("MPI_Gather", is_root || is_idle ? 0 : 40, is_root ? 40.0 * other_size : 0);
    MPI_Alltoall(out, 5, MPI_DOUBLE, in, 5, MPI_DOUBLE, other);
    tell("MPI_Alltoall", 40.0 * other_size, 40.0 * other_size);
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
}

static void one_sided(MPI_Comm comm) {
    MPI_Win window;
    double one = 1, got = 0;
    if (size < 2) return; /* Open MPI 4.1 makes no window for one rank */
    MPI_Win_create(in, sizeof in, sizeof(double), MPI_INFO_NULL, comm, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, 3, MPI_DOUBLE, right, 0, 3, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(out, 4, MPI_DOUBLE, right, 0, 4, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(out, 5, MPI_DOUBLE, right, 8, 5, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Fetch_and_op(&one, &got, MPI_DOUBLE, right, 0, MPI_SUM, window);
    MPI_Put(out, 3, MPI_DOUBLE, MPI_PROC_NULL, 0, 3, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    tell("MPI_Put", 24, 0);
    tell("MPI_Get", 0, 32);
    tell("MPI_Accumulate", 40, 0);
    tell("MPI_Fetch_and_op", 8, 8);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    messages(MPI_COMM_WORLD);
    collectives(MPI_COMM_WORLD);
    between_groups(MPI_COMM_WORLD);
    one_sided(MPI_COMM_WORLD);

    /* What is left out stays out. */
    MPI_Pcontrol(0);
    MPI_Bcast(in, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(1);

    for (int i = 0; i < told_count; ++i) {
        double sums[2];
        PMPI_Reduce(told[i].bytes, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%s %.0f %.0f\n", told[i].function, sums[0], sums[1]);
    }
    MPI_Finalize();
    return 0;
}
