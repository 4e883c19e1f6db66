#pragma once

#include <mpi.h>

#include "heat/ranks.hpp"

namespace plimsoll::heat {

/// The ranks of MPI_COMM_WORLD, in a row.
class MpiRanks : public Ranks {
  public:
    MpiRanks();
    [[nodiscard]] std::uint64_t rank() const override { return static_cast<std::uint64_t>(rank_); }
    [[nodiscard]] std::uint64_t size() const override { return static_cast<std::uint64_t>(size_); }
    void exchange(std::span<const double> first, std::span<const double> last, std::span<double> below,
                  std::span<double> above) override;
    [[nodiscard]] std::uint64_t sum(std::uint64_t mine) override;
    [[nodiscard]] double largest(double mine) override;
    void end_all(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }
    [[nodiscard]] std::unique_ptr<checkpoint::Communicator> communicator() const override;

  private:
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace plimsoll::heat
