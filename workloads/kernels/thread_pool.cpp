#include "kernels/thread_pool.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::kernels {

Range Member::share(std::size_t count) const {
    const std::size_t least = count / team_size;
    const std::size_t left_over = count % team_size;
    const std::size_t begin = rank * least + std::min(rank, left_over);
    return {.begin = begin, .end = begin + least + (rank < left_over ? 1 : 0)};
}

ThreadPool::ThreadPool(std::size_t most_threads) {
    workers_.reserve(most_threads);
    for (std::size_t rank = 1; rank < most_threads; ++rank) {
        workers_.emplace_back([this, rank](const std::stop_token& stop) { serve(stop, rank); });
    }
}

Team ThreadPool::team(std::size_t threads) {
    return Team(*this, std::clamp<std::size_t>(threads, 1, workers_.size() + 1));
}

void ThreadPool::run(std::size_t threads, const Task& task) {
    {
        const std::lock_guard lock(mutex_);
        task_ = &task;
        team_size_ = threads;
        still_running_ = threads - 1;
        ++generation_;
    }
    if (threads > 1) {
        start_.notify_all();
    }
    run_member(task, {.rank = 0, .team_size = threads});
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return still_running_ == 0; });
    task_ = nullptr;
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) {
        std::rethrow_exception(failure);
    }
}

void ThreadPool::run_member(const Task& task, Member member) {
    try {
        task(member);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) {
            failure_ = std::current_exception();
        }
    }
}

void ThreadPool::serve(const std::stop_token& stop, std::size_t rank) {
    std::uint64_t served = 0;
    std::unique_lock lock(mutex_);
    while (start_.wait(lock, stop, [&] { return generation_ != served && rank < team_size_; })) {
        served = generation_;
        const Task& task = *task_;
        const Member member{.rank = rank, .team_size = team_size_};
        lock.unlock();
        run_member(task, member);
        lock.lock();
        if (--still_running_ == 0) {
            done_.notify_one();
        }
    }
}

}  // namespace plimsoll::kernels
