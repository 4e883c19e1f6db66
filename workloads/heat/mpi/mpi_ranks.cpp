#include "heat/mpi/mpi_ranks.hpp"

#include "plimsoll/checkpoint_mpi/mpi_communicator.hpp"

namespace plimsoll::heat {

namespace {

constexpr int upward = 1;    ///< tag of planes for the rank above
constexpr int downward = 2;  ///< tag of planes for the rank below

}  // namespace

MpiRanks::MpiRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

void MpiRanks::exchange(std::span<const double> first, std::span<const double> last, std::span<double> below,
                        std::span<double> above) {
    const int under = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
    const int over = rank_ + 1 < size_ ? rank_ + 1 : MPI_PROC_NULL;
    const int count = static_cast<int>(first.size());
    MPI_Sendrecv(last.data(), count, MPI_DOUBLE, over, upward, below.data(), count, MPI_DOUBLE, under, upward,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(first.data(), count, MPI_DOUBLE, under, downward, above.data(), count, MPI_DOUBLE, over,
                 downward, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

std::uint64_t MpiRanks::sum(std::uint64_t mine) {
    std::uint64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

double MpiRanks::largest(double mine) {
    double all = 0.0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

std::unique_ptr<checkpoint::Communicator> MpiRanks::communicator() const {
    return std::make_unique<checkpoint::MpiCommunicator>(MPI_COMM_WORLD);
}

}  // namespace plimsoll::heat
