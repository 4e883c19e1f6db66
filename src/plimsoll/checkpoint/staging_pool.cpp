#include "plimsoll/checkpoint/detail/staging_pool.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::checkpoint::detail {

namespace {

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

}  // namespace

void StagingPool::set_budget(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    budget_ = bytes;
    freed_.notify_all();
}

AlignedBuffer StagingPool::buffer_for(std::uint64_t bytes) {
    const auto same = std::find_if(free_.begin(), free_.end(), [&](const AlignedBuffer& buffer) {
        return buffer.bytes().size() == whole_pages(bytes);
    });
    if (same == free_.end()) return AlignedBuffer(bytes);
    AlignedBuffer found = std::move(*same);
    free_.erase(same);
    return found;
}

std::vector<AlignedBuffer> StagingPool::take(const std::vector<std::uint64_t>& sizes) {
    std::uint64_t wanted = 0;
    for (const std::uint64_t size : sizes) wanted += whole_pages(size);
    std::unique_lock lock(mutex_);
    if (wanted > budget_) return {};
    freed_.wait(lock, [&] { return used_ + wanted <= budget_; });
    std::vector<AlignedBuffer> buffers;
    buffers.reserve(sizes.size());
    for (const std::uint64_t size : sizes) buffers.push_back(buffer_for(size));
    used_ += wanted;
    // What is kept for later counts as well; buffers of other sizes than wanted now are not worth their
    // memory.
    std::uint64_t kept = 0;
    for (const AlignedBuffer& buffer : free_) kept += buffer.bytes().size();
    if (used_ + kept > budget_) free_.clear();
    return buffers;
}

void StagingPool::give_back(std::vector<AlignedBuffer> buffers) {
    const std::lock_guard lock(mutex_);
    for (AlignedBuffer& buffer : buffers) {
        used_ -= buffer.bytes().size();
        free_.push_back(std::move(buffer));
    }
    freed_.notify_all();
}

}  // namespace plimsoll::checkpoint::detail
