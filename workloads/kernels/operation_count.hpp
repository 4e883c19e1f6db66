#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// Basic operations that a team did, counted by each member for itself.
class OperationCount {
  public:
    explicit OperationCount(const Team& team) : by_rank_(team.size(), 0) {}

    void add(Member member, std::uint64_t operations) { by_rank_[member.rank] += operations; }
    [[nodiscard]] std::uint64_t total() const {
        return std::accumulate(by_rank_.begin(), by_rank_.end(), std::uint64_t{0});
    }

  private:
    std::vector<std::uint64_t> by_rank_;
};

}  // namespace plimsoll::kernels
