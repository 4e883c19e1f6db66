#include "plimsoll/checkpoint/save.hpp"

#include <utility>

#include "plimsoll/checkpoint/detail/save_progress.hpp"

namespace plimsoll::checkpoint {

namespace detail {

Stage SaveProgress::stage() const {
    const std::lock_guard lock(mutex_);
    return stage_;
}

std::string SaveProgress::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void SaveProgress::reach(Stage stage) {
    const std::lock_guard lock(mutex_);
    stage_ = stage;
    if (stage == Stage::durable) time_taken_ = std::chrono::steady_clock::now() - begin_;
    changed_.notify_all();
}

void SaveProgress::fail(std::string why) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(why);
    changed_.notify_all();
}

bool SaveProgress::wait(Stage stage, std::optional<Seconds> patience) {
    std::unique_lock lock(mutex_);
    const auto is_settled = [&] { return stage_ >= stage || !failure_.empty(); };
    if (patience) {
        changed_.wait_for(lock, *patience, is_settled);
    } else {
        changed_.wait(lock, is_settled);
    }
    return stage_ >= stage;
}

bool SaveProgress::is_over() const {
    const std::lock_guard lock(mutex_);
    return stage_ == Stage::durable || !failure_.empty();
}

Seconds SaveProgress::time_taken() const {
    const std::lock_guard lock(mutex_);
    return time_taken_;
}

}  // namespace detail

Save::Save(std::shared_ptr<detail::SaveProgress> progress) : progress_(std::move(progress)) {}

std::uint64_t Save::step() const { return progress_->step(); }
Stage Save::stage() const { return progress_->stage(); }
std::string Save::failure() const { return progress_->failure(); }
bool Save::wait(Stage stage, Seconds patience) const { return progress_->wait(stage, patience); }
bool Save::wait(Stage stage) const { return progress_->wait(stage, std::nullopt); }

}  // namespace plimsoll::checkpoint
