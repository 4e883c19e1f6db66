#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"

namespace plimsoll::checkpoint::detail {

/// Memory for copies that wait to be written: within a budget, and used again, since fresh memory is slow to
/// fill.
class StagingPool {
  public:
    /// Bytes that copies may take together, from now on. Copies that are there already stay.
    void set_budget(std::uint64_t bytes);

    /// Buffers of these sizes, once there is room for all of them; none where they are more than the budget.
    [[nodiscard]] std::vector<AlignedBuffer> take(const std::vector<std::uint64_t>& sizes);
    void give_back(std::vector<AlignedBuffer> buffers);

  private:
    [[nodiscard]] AlignedBuffer buffer_for(std::uint64_t bytes);

    std::mutex mutex_;
    std::condition_variable freed_;
    std::uint64_t budget_ = 0;
    std::uint64_t used_ = 0;
    std::vector<AlignedBuffer> free_;
};

}  // namespace plimsoll::checkpoint::detail
