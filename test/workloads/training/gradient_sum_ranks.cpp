// Sums gradients over the ranks that it is started on, and ends with the number of values that are wrong.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "training/gradient_sum.hpp"
#include "training/trace.hpp"

namespace {

using plimsoll::training_workload::GradientSum;
using plimsoll::training_workload::Trace;

constexpr std::size_t bucket_bytes = 40;
const std::vector<std::size_t> sizes{7, 1, 30, 4, 4, 4, 2, 100};

/// What a rank has for a number of a parameter: small whole numbers, whose sums are exact.
float value_of(int rank, std::size_t step, std::size_t parameter, std::size_t i) {
    return static_cast<float>((rank + 1) * 4 * static_cast<int>(i + parameter + step));
}

/// The last parameter has no gradient in the second step, as where a part of a network is not used.
bool is_missing(std::size_t step, std::size_t parameter) {
    return step == 1 && parameter + 1 == sizes.size();
}

int wrong_values(int rank, int ranks, GradientSum& sum, std::size_t step) {
    sum.clear();
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // In another order on each rank.
    std::mt19937 random(static_cast<unsigned>(rank) + 100U * static_cast<unsigned>(step));
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t parameter : order) {
        if (is_missing(step, parameter)) continue;
        const auto gradient = sum.gradient(parameter);
        for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += value_of(rank, step, parameter, i);
        sum.ready(parameter);
    }
    sum.finish();
    int wrong = 0;
    for (std::size_t parameter = 0; parameter < sizes.size(); ++parameter) {
        const auto gradient = sum.gradient(parameter);
        if (gradient.size() != sizes[parameter]) ++wrong;
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            float mean = 0.0F;
            for (int other = 0; other < ranks && !is_missing(step, parameter); ++other)
                mean += value_of(other, step, parameter, i) / static_cast<float>(ranks);
            if (gradient[i] != mean) ++wrong;
        }
    }
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int wrong = 0;
    {
        Trace trace;
        GradientSum sum(sizes, bucket_bytes, MPI_COMM_WORLD, trace);
        // From the last parameter on, each until it has ten numbers: 100 | 2 4 4 | 4 30 | 1 7.
        if (sum.buckets() != 4) ++wrong;
        for (std::size_t step = 0; step < 3; ++step) wrong += wrong_values(rank, ranks, sum, step);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d wrong values on %d ranks\n", wrong, ranks);
    MPI_Finalize();
    return std::min(wrong, 99);
}
