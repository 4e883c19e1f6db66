#include "kernels/meeting_point.hpp"

#include <thread>

namespace plimsoll::kernels {

namespace {

constexpr int yields_before_sleep = 200;  // about 0.25 us each on an idle core

}  // namespace

void MeetingPoint::meet() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team_size_) {
        if (once_all_are_here_) {
            once_all_are_here_();
        }
        arrived_.store(0, std::memory_order_relaxed);
        round_.store(round + 1, std::memory_order_release);
        round_.notify_all();
        return;
    }
    for (int i = 0; i < yields_before_sleep; ++i) {
        if (round_.load(std::memory_order_acquire) != round) {
            return;
        }
        std::this_thread::yield();
    }
    round_.wait(round, std::memory_order_acquire);
}

}  // namespace plimsoll::kernels
