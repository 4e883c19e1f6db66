#include "kernels/mpi/traffic.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include "plimsoll/region.hpp"

namespace plimsoll::kernels {

namespace {

constexpr int wrong_result_status = 70;

/// A region by our own clock and by the library's.
class Timed {
  public:
    template <std::size_t size>
    Timed(RegionClock& clock, const char (&name)[size]) : shown_(name), timed_(clock, name) {}

  private:
    Region shown_;
    RegionClock::Region timed_;
};

class Ranks {
  public:
    explicit Ranks(MPI_Comm comm) : comm_(comm) {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
    }
    [[nodiscard]] MPI_Comm comm() const { return comm_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] int left() const { return (rank_ + size_ - 1) % size_; }
    [[nodiscard]] int right() const { return (rank_ + 1) % size_; }

    void expect(bool is_right, std::string_view region) const {
        if (is_right) return;
        fmt::print(stderr, "error: region '{}' computed a wrong result on rank {}\nhint: report this\n",
                   region, rank_);
        MPI_Abort(comm_, wrong_result_status);
    }

  private:
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
};

bool is_all(const std::vector<double>& numbers, double value) {
    for (const double number : numbers)
        if (number != value) return false;
    return true;
}

/// Each round hands on what came from the left, so that numbers travel as far as there are rounds.
std::vector<double> ring(const Ranks& ranks, int n) {
    std::vector<double> here(static_cast<std::size_t>(n), ranks.rank());
    std::vector<double> incoming(here.size());
    for (int round = 0; round < rounds; ++round) {
        MPI_Request requests[2];
        MPI_Irecv(incoming.data(), n, MPI_DOUBLE, ranks.left(), 0, ranks.comm(), &requests[0]);
        MPI_Isend(here.data(), n, MPI_DOUBLE, ranks.right(), 0, ranks.comm(), &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        here.swap(incoming);
    }
    return here;
}

std::vector<double> sums(const Ranks& ranks, int n) {
    const std::vector<double> mine(static_cast<std::size_t>(n), ranks.rank() + 1);
    std::vector<double> all(mine.size());
    for (int round = 0; round < rounds; ++round)
        MPI_Allreduce(mine.data(), all.data(), n, MPI_DOUBLE, MPI_SUM, ranks.comm());
    return all;
}

/// n numbers for each rank; what comes back is sorted by where it comes from.
std::vector<double> exchange(const Ranks& ranks, int n) {
    const std::size_t all = static_cast<std::size_t>(n) * static_cast<std::size_t>(ranks.size());
    const std::vector<double> mine(all, ranks.rank());
    std::vector<double> theirs(all);
    for (int round = 0; round < rounds; ++round)
        MPI_Alltoall(mine.data(), n, MPI_DOUBLE, theirs.data(), n, MPI_DOUBLE, ranks.comm());
    return theirs;
}

bool is_exchanged(const std::vector<double>& theirs, std::size_t n) {
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const std::size_t from = i / n;
        if (theirs[i] != static_cast<double>(from)) return false;
    }
    return true;
}

std::vector<double> broadcast(const Ranks& ranks, int n) {
    std::vector<double> numbers(static_cast<std::size_t>(n), ranks.rank() == 0 ? 42 : 0);
    for (int round = 0; round < rounds; ++round) MPI_Bcast(numbers.data(), n, MPI_DOUBLE, 0, ranks.comm());
    return numbers;
}

}  // namespace

std::vector<RegionTime> run_traffic(std::size_t n, MPI_Comm comm) {
    const Ranks ranks(comm);
    const int count = static_cast<int>(n);
    std::vector<double> came_round;
    std::vector<double> summed;
    std::vector<double> exchanged;
    std::vector<double> told;

    RegionClock clock;
    {
        const Timed main(clock, "main");
        {
            const Timed region(clock, "ring");
            came_round = ring(ranks, count);
        }
        {
            const Timed region(clock, "allreduce");
            summed = sums(ranks, count);
        }
        {
            const Timed region(clock, "alltoall");
            exchanged = exchange(ranks, count);
        }
        {
            const Timed region(clock, "broadcast");
            told = broadcast(ranks, count);
        }
    }
    const int size = ranks.size();
    ranks.expect(is_all(came_round, (ranks.rank() + size * rounds - rounds) % size), "ring");
    ranks.expect(is_all(summed, size * (size + 1) / 2.0), "allreduce");
    ranks.expect(is_exchanged(exchanged, n), "alltoall");
    ranks.expect(is_all(told, 42), "broadcast");
    return clock.times();
}

}  // namespace plimsoll::kernels
