#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace plimsoll::kernels {

/// Indices begin, begin + 1, ..., end - 1.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// One thread's view of the team it works in.
struct Member {
    std::size_t rank = 0;
    std::size_t team_size = 1;

    /// This member's part of `count` items; the parts are contiguous and differ by one item at most.
    [[nodiscard]] Range share(std::size_t count) const;
};

class Team;

/// Threads that are started once and serve every region and configuration.
class ThreadPool {
  public:
    /// The calling thread is member 0 of each team, so that one thread less is started.
    explicit ThreadPool(std::size_t most_threads);

    /// The first `threads` members, at most the number the pool was made for.
    [[nodiscard]] Team team(std::size_t threads);

  private:
    friend class Team;
    using Task = std::function<void(Member)>;

    void run(std::size_t threads, const Task& task);
    void run_member(const Task& task, Member member);
    void serve(const std::stop_token& stop, std::size_t rank);

    std::mutex mutex_;
    std::condition_variable_any start_;
    std::condition_variable done_;
    const Task* task_ = nullptr;
    std::size_t team_size_ = 0;
    std::size_t still_running_ = 0;
    std::uint64_t generation_ = 0;
    std::exception_ptr failure_;
    std::vector<std::jthread> workers_;  // last: joined before what they use goes away
};

/// A number of threads of a pool that run a task together.
class Team {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Runs `task` once on each member and returns when all are done; the first exception is
    /// thrown again here. A task whose members wait for each other must not throw.
    void run(const std::function<void(Member)>& task) const { pool_->run(size_, task); }

  private:
    friend class ThreadPool;
    Team(ThreadPool& pool, std::size_t size) : pool_(&pool), size_(size) {}

    ThreadPool* pool_;
    std::size_t size_;
};

}  // namespace plimsoll::kernels
