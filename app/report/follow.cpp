#include "app/report/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void add_state(const fs::path& path, std::vector<std::string>& states) {
    std::error_code failure;
    const auto size = fs::file_size(path, failure);
    const auto time = fs::last_write_time(path, failure);
    if (failure) return;
    states.push_back(fmt::format("{}\t{}\t{}", path.string(), size, time.time_since_epoch().count()));
}

/// Both sides of the element that tells a page's version.
std::pair<std::string_view, std::string_view> around_version(std::string_view page) {
    const std::size_t begin = page.find("<meta name=\"plimsoll-version\"");
    if (begin == std::string_view::npos) return {page, {}};
    const std::size_t end = std::min(page.find('>', begin), page.size());
    return {page.substr(0, begin), page.substr(end)};
}

bool is_same_page(std::string_view a, std::string_view b) { return around_version(a) == around_version(b); }

}  // namespace

std::string state_of(const std::vector<std::string>& paths) {
    std::vector<std::string> states;
    for (const std::string& path : paths) {
        std::error_code failure;
        if (!fs::is_directory(path, failure)) {
            add_state(path, states);
            continue;
        }
        for (fs::recursive_directory_iterator
                 it(path, fs::directory_options::skip_permission_denied, failure),
             end;
             !failure && it != end; it.increment(failure)) {
            const bool is_hidden = it->path().filename().string().starts_with('.');
            std::error_code ignored;
            if (is_hidden && it->is_directory(ignored)) it.disable_recursion_pending();
            if (!is_hidden && it->is_regular_file(ignored)) add_state(it->path(), states);
        }
    }
    std::sort(states.begin(), states.end());
    return join(states, "\n");
}

bool can_be_read_again(const std::vector<std::string>& paths) {
    return std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
        std::error_code failure;
        return path != "-" && (fs::is_regular_file(path, failure) || fs::is_directory(path, failure));
    });
}

/// Says nothing of how far it is, and can be stopped.
class Follower::Work : public Progress {
  public:
    void begin(std::string_view /*what*/, std::int64_t /*total*/) override {}
    void advance(std::int64_t /*done*/) override {}
    void end() override {}
};

Follower::Follower(std::vector<std::string> paths, std::string seen, std::shared_ptr<const std::string> shown,
                   std::chrono::milliseconds pause, Maker make)
    : paths_(std::move(paths)),
      seen_(std::move(seen)),
      shown_(std::move(shown)),
      pause_(pause),
      make_(std::move(make)),
      work_(std::make_unique<Work>()),
      thread_([this](const std::stop_token& stop) { follow(stop); }) {}

Follower::~Follower() {
    work_->request_stop();
    thread_.request_stop();
}

std::optional<report::Renewal> Follower::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, std::nullopt);
}

void Follower::renew() {
    report::Renewal renewal;
    try {
        renewal.version = fmt::format("{}", version_ + 1);
        renewal.page = std::make_shared<const std::string>(make_(renewal.version, *work_));
        if (shown_ && is_same_page(*shown_, *renewal.page)) return;
        shown_ = renewal.page;
        ++version_;
    } catch (const Cancelled&) {
        return;
    } catch (const Error& error) {
        renewal.trouble =
            json_quote(error.hint().empty() ? std::string(error.what())
                                            : fmt::format("{}; {}", error.what(), error.hint()));
    } catch (const std::exception& error) {
        renewal.trouble = json_quote(error.what());
    }
    if (!renewal.page) shown_.reset();
    const std::lock_guard lock(mutex_);
    news_ = std::move(renewal);
}

void Follower::follow(const std::stop_token& stop) {
    constexpr int patience = 5;    // pauses, of inputs that never rest
    constexpr int share = 20;      // of the time, at most, goes into looking
    constexpr int work_share = 2;  // a page takes a third of the time at most, and programs have the rest
    constexpr std::chrono::milliseconds nap{50};
    std::string before = seen_;
    Clock::time_point changed{};
    Clock::duration pause = pause_;
    while (!stop.stop_requested()) {
        for (const auto end = Clock::now() + pause; !stop.stop_requested() && Clock::now() < end;)
            std::this_thread::sleep_for(std::min<Clock::duration>(nap, pause));
        if (stop.stop_requested()) return;
        const auto start = Clock::now();
        std::string now = state_of(paths_);
        pause = std::max<Clock::duration>(pause_, share * (Clock::now() - start));
        if (now == seen_) {
            before = std::move(now);
            continue;
        }
        if (before == seen_) changed = start;
        const bool rests = now == before;
        before = now;
        if (!rests && Clock::now() - changed < patience * pause) continue;
        seen_ = std::move(now);
        const auto begin = Clock::now();
        renew();
        pause = std::max<Clock::duration>(pause, work_share * (Clock::now() - begin));
    }
}

}  // namespace plimsoll::app
