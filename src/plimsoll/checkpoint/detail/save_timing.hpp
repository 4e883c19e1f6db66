#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll::checkpoint {
struct SessionOptions;
}

namespace plimsoll::checkpoint::detail {

/// When it is time to save: by steps, by time, before a limit of time, after a signal.
class SaveTiming {
  public:
    struct Answer {
        bool saves = false;
        bool stops = false;  ///< the program should end after this save
    };

    /// Takes over the signal, where the options name one. Throws a usage error where that cannot be.
    explicit SaveTiming(const SessionOptions& options);
    SaveTiming(const SaveTiming&) = delete;
    SaveTiming& operator=(const SaveTiming&) = delete;
    ~SaveTiming();

    /// Whether the answer depends on clocks and signals, so that ranks must take that of one of them.
    [[nodiscard]] bool needs_agreement() const { return every_ || time_limit_ || signal_; }
    /// `longest_save`: what saves have taken so far, from the call until they were durable.
    [[nodiscard]] Answer ask(std::uint64_t step, Seconds longest_save);
    void begin_save();

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool limit_is_near(Clock::time_point now, Seconds longest_save) const;

    std::uint64_t every_steps_;
    std::optional<Seconds> every_;
    std::optional<Seconds> time_limit_;
    std::optional<int> signal_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point last_save_ = begin_;
    std::optional<Clock::time_point> last_call_;
    Seconds longest_step_{0.0};
    bool is_stopping_ = false;
};

}  // namespace plimsoll::checkpoint::detail
