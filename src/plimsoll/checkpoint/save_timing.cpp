#include "plimsoll/checkpoint/detail/save_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

constexpr std::size_t most_signals = 65;
std::array<std::atomic<bool>, most_signals>
    has_come{};  // NOLINT(*-avoid-non-const-global-variables): a handler's only way

void note_signal(int number) { has_come[static_cast<std::size_t>(number)].store(true); }

/// Puts a handler in the place of another.
void handle(int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    if (number <= 0 || static_cast<std::size_t>(number) >= most_signals ||
        ::sigaction(number, &action, nullptr) != 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("signal {} cannot be taken over: {}", number, std::strerror(errno)),
                    "choose another, such as SIGUSR1 or SIGTERM");
    }
}

}  // namespace

SaveTiming::SaveTiming(const SessionOptions& options)
    : every_steps_(options.every_steps),
      every_(options.every),
      time_limit_(options.time_limit),
      signal_(options.signal) {
    if (!signal_) return;
    handle(*signal_, note_signal);
    has_come[static_cast<std::size_t>(*signal_)].store(false);
}

SaveTiming::~SaveTiming() {
    if (signal_) ::signal(*signal_, SIG_DFL);
}

bool SaveTiming::limit_is_near(Clock::time_point now, Seconds longest_save) const {
    // Another step, twice as long as any so far, and a save half as long again must still fit.
    constexpr double steps = 2.0;
    constexpr double saves = 1.5;
    return time_limit_ && now - begin_ + steps * longest_step_ + saves * longest_save >= *time_limit_;
}

SaveTiming::Answer SaveTiming::ask(std::uint64_t step, Seconds longest_save) {
    const Clock::time_point now = Clock::now();
    if (last_call_) longest_step_ = std::max<Seconds>(longest_step_, now - *last_call_);
    last_call_ = now;
    const bool stops =
        (signal_ && has_come[static_cast<std::size_t>(*signal_)].load()) || limit_is_near(now, longest_save);
    const bool stops_now = stops && !is_stopping_;
    is_stopping_ = is_stopping_ || stops;
    return {.saves = stops_now || (every_steps_ > 0 && step % every_steps_ == 0) ||
                     (every_ && now - last_save_ >= *every_),
            .stops = is_stopping_};
}

void SaveTiming::begin_save() { last_save_ = Clock::now(); }

}  // namespace plimsoll::checkpoint::detail
