#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// What `gather_rounds` found and did.
struct Gathered {
    std::vector<double> sums;     ///< of all members' values, one a round
    std::uint64_t additions = 0;  ///< rounds * threads * values, one after the other
};

/// Lets the team meet at a barrier `rounds` times, so that cost grows with the number of threads.
///
/// Each member owns `values` numbers, all 0 at first, and raises one of them by 1 each round; the
/// last one to arrive adds up the numbers of all while the others wait.
[[nodiscard]] Gathered gather_rounds(const Team& team, std::size_t rounds, std::size_t values);

/// Whether there was a round and each saw exactly one step of each member more than the round before.
[[nodiscard]] bool all_met(const Gathered& gathered, std::size_t threads);

}  // namespace plimsoll::kernels
