#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace plimsoll {

/// Thrown where long work stops because the user asked for it.
class Cancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

/// Where long work says how far it is, and learns that it should stop. The library counts, the program draws.
class Progress {
  public:
    Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    virtual ~Progress() = default;

    /// Work of `total` steps begins; 0 where the number is not known.
    virtual void begin(std::string_view what, std::int64_t total) = 0;

    /// So many steps are done. Called often: cheap, and from one thread.
    virtual void advance(std::int64_t done) = 0;

    /// The work begun last has ended, well or not.
    virtual void end() = 0;

    /// Asks for an end; safe from a signal handler and from any thread.
    void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool stop_requested() const noexcept { return stop_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> stop_ = false;
};

/// Shows nothing: for tests and for callers that do not wait.
[[nodiscard]] Progress& silent();

/// One piece of long work, from construction to destruction.
class Activity {
  public:
    Activity(Progress& progress, std::string_view what, std::int64_t total) : progress_(&progress) {
        progress.begin(what, total);
    }
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;
    ~Activity() { progress_->end(); }

    /// Counts; throws Cancelled once the user asked to stop.
    void step(std::int64_t count = 1) { reach(done_ + count); }

    /// So much is done in all; throws as `step`.
    void reach(std::int64_t done) {
        done_ = done;
        if (progress_->stop_requested()) throw Cancelled();
        progress_->advance(done_);
    }

    /// Whether the user asked to stop; may be asked on any thread.
    [[nodiscard]] bool stop_requested() const noexcept { return progress_->stop_requested(); }

  private:
    Progress* progress_;
    std::int64_t done_ = 0;
};

}  // namespace plimsoll
