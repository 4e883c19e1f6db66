#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/report/server.hpp"

namespace plimsoll::app {

/// What tells one state of files and folders from another: names, sizes and times of change of all files in
/// them, hidden ones aside. Not what is in the files.
[[nodiscard]] std::string state_of(const std::vector<std::string>& paths);

/// Whether inputs can be read again: all are files or folders.
[[nodiscard]] bool can_be_read_again(const std::vector<std::string>& paths);

/// Renews a page on a thread of its own while its inputs change.
///
/// Inputs are looked at every `pause`, or less often where looking takes long. A page is made once they have
/// been the same twice, or have changed for five times as long: a campaign appends all the time. Making pages
/// takes a third of the time at most. Where a page cannot be made, the reason is news as well; a page that
/// differs from the one shown by its version alone is none.
class Follower {
  public:
    /// Makes the page of a version; may throw.
    using Maker = std::function<std::string(const std::string& version, Progress& progress)>;

    /// `seen` is the state that the first page, `shown`, was made of.
    Follower(std::vector<std::string> paths, std::string seen, std::shared_ptr<const std::string> shown,
             std::chrono::milliseconds pause, Maker make);
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;
    /// Stops the work that is under way, and waits for its end.
    ~Follower();

    /// What is new since it was asked last.
    [[nodiscard]] std::optional<report::Renewal> take();

  private:
    void follow(const std::stop_token& stop);
    void renew();

    std::vector<std::string> paths_;
    std::string seen_;
    std::shared_ptr<const std::string> shown_;  ///< none where a trouble came behind it
    std::chrono::milliseconds pause_;
    Maker make_;
    int version_ = 1;
    std::mutex mutex_;  ///< of the news
    std::optional<report::Renewal> news_;
    class Work;
    std::unique_ptr<Work> work_;
    std::jthread thread_;  ///< last, so that it ends first
};

}  // namespace plimsoll::app
