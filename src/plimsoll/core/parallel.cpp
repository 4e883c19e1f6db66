#include "plimsoll/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace plimsoll {

int thread_count(int requested) {
    return requested > 0 ? requested : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, int threads, Activity& activity,
                  const std::function<void(std::size_t, std::size_t)>& body) {
    const auto workers = static_cast<std::size_t>(thread_count(threads));
    // Small enough that the last thread does not keep the others waiting, large enough to cost nothing.
    const std::size_t range = std::clamp<std::size_t>(count / (workers * 16), 1, 256);
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stop = false;
    std::exception_ptr failure;
    std::mutex failure_mutex;

    const auto work = [&](bool tells_progress) {
        try {
            while (!stop.load(std::memory_order_relaxed)) {
                if (activity.stop_requested()) throw Cancelled();
                const std::size_t begin = next.fetch_add(range, std::memory_order_relaxed);
                if (begin >= count) break;
                body(begin, std::min(begin + range, count));
                if (tells_progress) {
                    activity.reach(
                        static_cast<std::int64_t>(std::min(next.load(std::memory_order_relaxed), count)));
                }
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            stop.store(true, std::memory_order_relaxed);
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t useful = std::min(workers, (count + range - 1) / range);
        try {
            for (std::size_t i = 1; i < useful; ++i) others.emplace_back(work, false);
        } catch (const std::system_error&) {
            // The system gives no more threads: those that started share the work with this one.
        }
        work(true);
    }
    if (failure) std::rethrow_exception(failure);
    activity.reach(static_cast<std::int64_t>(count));
}

}  // namespace plimsoll
