#include "plimsoll/checkpoint/detail/lazy_copier.hpp"

#include <system_error>
#include <utility>

#include "plimsoll/checkpoint/detail/background_thread.hpp"
#include "plimsoll/checkpoint/detail/fault_handler.hpp"

namespace plimsoll::checkpoint::detail {

LazyCopier::~LazyCopier() {
    finish();
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void LazyCopier::submit(std::shared_ptr<LazyCopy> copy) {
    try {
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
        // The thread that writes copies what it needs.
    }
    {
        const std::lock_guard lock(mutex_);
        copy_ = std::move(copy);
    }
    changed_.notify_all();
}

void LazyCopier::finish() {
    std::shared_ptr<LazyCopy> copy;
    {
        const std::lock_guard lock(mutex_);
        copy = std::exchange(copy_, nullptr);
    }
    if (copy) copy->copy_all();
}

void LazyCopier::run() {
    let_the_waking_thread_go_on();
    const SignalsHeldBack held_back;
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_ending_ || copy_ != nullptr; });
        if (copy_ == nullptr) return;
        const std::shared_ptr<LazyCopy> copy = copy_;
        lock.unlock();
        copy->copy_all_from_the_back();
        lock.lock();
        if (copy_ == copy) copy_ = nullptr;
    }
}

}  // namespace plimsoll::checkpoint::detail
