#pragma once

#include "plimsoll/mpi/detail/mpi.hpp"
#include "plimsoll/region.hpp"

namespace plimsoll::mpi {

/// The tree of the calling thread: the program's where it has regions, else one of our own. Null where
/// nothing is measured.
[[nodiscard]] plimsoll_region_thread* this_thread();

/// What one element of the type holds, without gaps.
[[nodiscard]] std::uint64_t size_of(MPI_Datatype type);
/// Sizes are kept while types are not freed.
void forget_sizes();

/// A call of a function of MPI: a region below the one that the program is in.
///
///     Call call("MPI_Send");
///     const int result = call.end(PMPI_Send(...));
///     call.sends_to(to, count, type);
class Call {
  public:
    /// The name is a literal.
    explicit Call(const char* name) : thread_(this_thread()) {
        if (thread_ != nullptr)
            node_ = plimsoll_region_enter(thread_, thread_->current, name, plimsoll_region_literal);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Stops the clock. Of a call that failed, no bytes are counted.
    int end(int result) {
        if (thread_ != nullptr) plimsoll_region_close(thread_, node_);
        if (result != MPI_SUCCESS) node_ = nullptr;
        return result;
    }

    /// Whether bytes will be counted, for what takes effort to find out.
    [[nodiscard]] bool counts() const { return node_ != nullptr; }

    void sends(std::uint64_t bytes) { add(plimsoll_region_sent, bytes); }
    void receives(std::uint64_t bytes) { add(plimsoll_region_received, bytes); }
    void sends(int count, MPI_Datatype type) {
        if (counts()) sends(bytes_of(count, type));
    }
    void receives(int count, MPI_Datatype type) {
        if (counts()) receives(bytes_of(count, type));
    }

    /// A message; one to MPI_PROC_NULL goes nowhere.
    void sends_to(int to, int count, MPI_Datatype type) {
        if (counts() && to != MPI_PROC_NULL) sends(bytes_of(count, type));
    }
    /// The message that a receive ended with.
    void receives(const MPI_Status& status);

    [[nodiscard]] static std::uint64_t bytes_of(int count, MPI_Datatype type) {
        return count > 0 ? static_cast<std::uint64_t>(count) * size_of(type) : 0;
    }

  private:
    void add(std::size_t counter, std::uint64_t bytes) {
        if (node_ != nullptr) plimsoll_region_add(&node_->counted[counter], bytes);
    }

    plimsoll_region_thread* thread_ = nullptr;
    plimsoll_region_node* node_ = nullptr;
};

/// A status to look at where the program wants none.
class StatusOf {
  public:
    explicit StatusOf(MPI_Status* wanted) : status_(wanted == MPI_STATUS_IGNORE ? &own_ : wanted) {}
    [[nodiscard]] MPI_Status* get() { return status_; }
    [[nodiscard]] const MPI_Status& operator*() const { return *status_; }

  private:
    MPI_Status own_{};
    MPI_Status* status_;
};

}  // namespace plimsoll::mpi
