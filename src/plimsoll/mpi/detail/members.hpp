#pragma once

#include <span>

#include "plimsoll/mpi/detail/call.hpp"

namespace plimsoll::mpi {

/// Who takes part in a collective operation. Between two groups (an intercommunicator), one side's root is
/// MPI_ROOT, its other ranks have MPI_PROC_NULL and do nothing, and the other side names the root's rank.
class Members {
  public:
    explicit Members(MPI_Comm comm) {
        int between_groups = 0;
        PMPI_Comm_test_inter(comm, &between_groups);
        between_groups_ = between_groups != 0;
        PMPI_Comm_rank(comm, &rank);
        PMPI_Comm_size(comm, &size);
        peers = size;
        if (between_groups_) PMPI_Comm_remote_size(comm, &peers);
    }

    int rank = 0;
    int size = 0;   ///< of this rank's group
    int peers = 0;  ///< ranks that this one exchanges data with

    [[nodiscard]] bool is_root(int root) const { return root == (between_groups_ ? MPI_ROOT : rank); }
    /// Whether this rank's data goes to the root, or the root's comes here.
    [[nodiscard]] bool is_with_root(int root) const { return !between_groups_ || root >= 0; }

  private:
    bool between_groups_ = false;
};

/// Sum over all peers.
[[nodiscard]] inline std::uint64_t bytes_of(const int* counts, MPI_Datatype type, int peers) {
    std::uint64_t sum = 0;
    for (int i = 0; i < peers; ++i) sum += Call::bytes_of(counts[i], type);
    return sum;
}
[[nodiscard]] inline std::uint64_t bytes_of(const int* counts, const MPI_Datatype* types, int peers) {
    std::uint64_t sum = 0;
    for (int i = 0; i < peers; ++i) sum += Call::bytes_of(counts[i], types[i]);
    return sum;
}

}  // namespace plimsoll::mpi
