#include "training/gathered.hpp"

#include <algorithm>

namespace plimsoll::training_workload {

namespace {

/// Lists of all ranks, one behind the other, on the first one.
std::vector<double> gather(const std::vector<double>& mine, int ranks, MPI_Comm comm) {
    const int count = static_cast<int>(mine.size());
    std::vector<double> all(mine.size() * static_cast<std::size_t>(ranks));
    MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, comm);
    return all;
}

}  // namespace

std::vector<RunResult> gathered(const RunResult& mine, MPI_Comm comm) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    // What is a rank's own: times and the checksum.
    std::vector<double> own = mine.steps;
    own.insert(own.end(), mine.validation_steps.begin(), mine.validation_steps.end());
    for (const EpochResult& epoch : mine.epochs) {
        own.push_back(epoch.seconds);
        own.push_back(epoch.validation_seconds);
    }
    own.push_back(static_cast<double>(mine.checksum));
    const std::vector<double> all = gather(own, ranks, comm);
    if (rank != 0) return {};
    std::vector<RunResult> results(static_cast<std::size_t>(ranks), mine);
    auto next = all.begin();
    const auto take = [&next](std::vector<double>& values) {
        std::copy_n(next, values.size(), values.begin());
        next += static_cast<std::ptrdiff_t>(values.size());
    };
    for (RunResult& result : results) {
        take(result.steps);
        take(result.validation_steps);
        for (EpochResult& epoch : result.epochs) {
            epoch.seconds = *next++;
            epoch.validation_seconds = *next++;
        }
        result.checksum = static_cast<std::uint32_t>(*next++);
    }
    return results;
}

}  // namespace plimsoll::training_workload
