// Communicators: making one takes the time of a collective operation.

#include "plimsoll/mpi/detail/call.hpp"

using plimsoll::mpi::Call;

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* created) {
    Call call("MPI_Comm_dup");
    return call.end(PMPI_Comm_dup(comm, created));
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* created) {
    Call call("MPI_Comm_dup_with_info");
    return call.end(PMPI_Comm_dup_with_info(comm, info, created));
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* created) {
    Call call("MPI_Comm_create");
    return call.end(PMPI_Comm_create(comm, group, created));
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* created) {
    Call call("MPI_Comm_create_group");
    return call.end(PMPI_Comm_create_group(comm, group, tag, created));
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* created) {
    Call call("MPI_Comm_split");
    return call.end(PMPI_Comm_split(comm, color, key, created));
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* created) {
    Call call("MPI_Comm_split_type");
    return call.end(PMPI_Comm_split_type(comm, split_type, key, info, created));
}

int MPI_Comm_free(MPI_Comm* comm) {
    Call call("MPI_Comm_free");
    return call.end(PMPI_Comm_free(comm));
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
    Call call("MPI_Comm_disconnect");
    return call.end(PMPI_Comm_disconnect(comm));
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm, int remote_leader,
                         int tag, MPI_Comm* newintercomm) {
    Call call("MPI_Intercomm_create");
    return call.end(
        PMPI_Intercomm_create(local_comm, local_leader, bridge_comm, remote_leader, tag, newintercomm));
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintercomm) {
    Call call("MPI_Intercomm_merge");
    return call.end(PMPI_Intercomm_merge(intercomm, high, newintercomm));
}

int MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
    Call call("MPI_Cart_create");
    return call.end(PMPI_Cart_create(old_comm, ndims, dims, periods, reorder, comm_cart));
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph) {
    Call call("MPI_Graph_create");
    return call.end(PMPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph));
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int nodes[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* created) {
    Call call("MPI_Dist_graph_create");
    return call.end(
        PMPI_Dist_graph_create(comm_old, n, nodes, degrees, targets, weights, info, reorder, created));
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree, const int destinations[],
                                   const int destweights[], MPI_Info info, int reorder,
                                   MPI_Comm* comm_dist_graph) {
    Call call("MPI_Dist_graph_create_adjacent");
    return call.end(PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree,
                                                    destinations, destweights, info, reorder,
                                                    comm_dist_graph));
}

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm* intercomm, int array_of_errcodes[]) {
    Call call("MPI_Comm_spawn");
    return call.end(PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes));
}

int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[],
                            const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                            MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    Call call("MPI_Comm_spawn_multiple");
    return call.end(PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs,
                                             array_of_info, root, comm, intercomm, array_of_errcodes));
}

int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* created) {
    Call call("MPI_Comm_accept");
    return call.end(PMPI_Comm_accept(port_name, info, root, comm, created));
}

int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* created) {
    Call call("MPI_Comm_connect");
    return call.end(PMPI_Comm_connect(port_name, info, root, comm, created));
}

}  // extern "C"
