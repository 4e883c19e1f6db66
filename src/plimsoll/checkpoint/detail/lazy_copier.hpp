#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "plimsoll/checkpoint/detail/lazy_copy.hpp"

namespace plimsoll::checkpoint::detail {

/// The thread that makes lazy copies of a session, one after the other. It is there from the first on.
class LazyCopier {
  public:
    LazyCopier() = default;
    LazyCopier(const LazyCopier&) = delete;
    LazyCopier& operator=(const LazyCopier&) = delete;
    /// Finishes what was handed over.
    ~LazyCopier();

    /// Takes a copy over; the one before must be finished.
    void submit(std::shared_ptr<LazyCopy> copy);
    /// Returns once nothing is left to copy, and lends a hand.
    void finish();

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<LazyCopy> copy_;
    bool is_ending_ = false;
    std::thread thread_;
};

}  // namespace plimsoll::checkpoint::detail
