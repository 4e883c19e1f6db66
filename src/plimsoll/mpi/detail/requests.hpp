#pragma once

#include <span>
#include <vector>

#include "plimsoll/mpi/detail/call.hpp"

namespace plimsoll::mpi {

/// What a request will do when it is complete or started. Nonblocking sends are counted when they are posted,
/// so that they need no entry.
struct Pending {
    enum class Kind { receive, persistent_receive, persistent_send };
    Kind kind = Kind::receive;
    std::uint64_t bytes = 0;  ///< of a persistent send
};

void remember(MPI_Request request, Pending pending);
void forget(MPI_Request request);
/// Counts a persistent send that starts.
void count_start(Call& call, MPI_Request request);

/// Counts the receives among requests that a call completes. Made before the call, since a request that is
/// complete may come again at once, in another thread, as another one.
class Completion {
  public:
    explicit Completion(std::span<const MPI_Request> requests);
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;
    /// What was not completed is remembered again.
    ~Completion();

    /// Statuses to look at, where the program wants none.
    [[nodiscard]] MPI_Status* statuses(MPI_Status* wanted);
    /// Counts request number `index`, whose status is number `status`.
    void complete(Call& call, std::size_t index, std::size_t status);

  private:
    struct Taken {
        std::size_t index;
        MPI_Request request;
        Pending pending;
    };

    std::size_t count_;
    std::vector<Taken> taken_;
    std::vector<MPI_Status> own_;
    MPI_Status* statuses_ = nullptr;
};

}  // namespace plimsoll::mpi
