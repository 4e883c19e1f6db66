#pragma once

#include <mpi.h>

#include "plimsoll/checkpoint/communicator.hpp"

namespace plimsoll::checkpoint {

/// The ranks of an MPI communicator, which is duplicated: the program's own messages are not met. To be made
/// by all of them, after MPI_Init and gone before MPI_Finalize.
class MpiCommunicator : public Communicator {
  public:
    explicit MpiCommunicator(MPI_Comm ranks);
    MpiCommunicator(const MpiCommunicator&) = delete;
    MpiCommunicator& operator=(const MpiCommunicator&) = delete;
    ~MpiCommunicator() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    [[nodiscard]] std::string broadcast(std::string text) override;
    [[nodiscard]] std::vector<std::string> gather(std::string text) override;
    [[nodiscard]] std::vector<std::vector<std::byte>> exchange(const std::vector<Outgoing>& outgoing,
                                                               const std::vector<int>& from) override;

  private:
    MPI_Comm ranks_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace plimsoll::checkpoint
