#include "plimsoll/checkpoint/save.hpp"

#include <algorithm>
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
    stage_ = std::max(stage_, stage);
    if (stage >= goal_) time_taken_ = std::chrono::steady_clock::now() - begin_;
    changed_.notify_all();
}

Stage SaveProgress::goal() const {
    const std::lock_guard lock(mutex_);
    return goal_;
}

void SaveProgress::set_goal(Stage goal) {
    const std::lock_guard lock(mutex_);
    goal_ = goal;
}

std::string SaveProgress::remark() const {
    const std::lock_guard lock(mutex_);
    return remark_;
}

void SaveProgress::note(std::string remark) {
    const std::lock_guard lock(mutex_);
    remark_ = std::move(remark);
}

void SaveProgress::fail(std::string why) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(why);
    changed_.notify_all();
}

bool SaveProgress::wait(Stage stage, std::optional<Seconds> patience) {
    std::unique_lock lock(mutex_);
    const auto is_settled = [&] { return stage_ >= std::min(stage, goal_) || !failure_.empty(); };
    if (patience) {
        changed_.wait_for(lock, *patience, is_settled);
    } else {
        changed_.wait(lock, is_settled);
    }
    return stage_ >= stage;
}

bool SaveProgress::is_over() const {
    const std::lock_guard lock(mutex_);
    return stage_ >= goal_ || !failure_.empty();
}

Seconds SaveProgress::time_taken() const {
    const std::lock_guard lock(mutex_);
    return time_taken_;
}

}  // namespace detail

Save::Save(std::shared_ptr<detail::SaveProgress> progress) : progress_(std::move(progress)) {}

std::uint64_t Save::step() const { return progress_->step(); }
Stage Save::stage() const { return progress_->stage(); }
Stage Save::goal() const { return progress_->goal(); }
std::string Save::failure() const { return progress_->failure(); }
bool Save::wait(Stage stage, Seconds patience) const { return progress_->wait(stage, patience); }
bool Save::wait(Stage stage) const { return progress_->wait(stage, std::nullopt); }
bool Save::wait() const { return progress_->wait(progress_->goal(), std::nullopt); }

}  // namespace plimsoll::checkpoint
