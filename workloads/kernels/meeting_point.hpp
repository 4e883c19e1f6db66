#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// A barrier for the members of a team, to be used over and over.
///
/// A member that waits gives its core away for some 50 microseconds before it sleeps. std::barrier
/// sleeps so early that rounds of a few microseconds cost tens of them, which hides what the
/// kernels' laws are about; spinning without giving way would stall teams larger than the machine.
class MeetingPoint {
  public:
    /// `once_all_are_here` is called by the last member to arrive, while the others wait; it must
    /// not throw.
    explicit MeetingPoint(const Team& team, std::function<void()> once_all_are_here = {})
        : team_size_(team.size()), once_all_are_here_(std::move(once_all_are_here)) {}

    void meet();

  private:
    std::size_t team_size_;
    std::function<void()> once_all_are_here_;
    std::atomic<std::size_t> arrived_ = 0;
    std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace plimsoll::kernels
