#pragma once

#include <optional>
#include <string>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/launch/exit.hpp"
#include "plimsoll/measure/machine_watch.hpp"

namespace plimsoll::measure::detail {

/// Waits until nothing else runs on this machine, for up to a minute; then throws an environment error.
void require_quiet(Activity& activity);

/// What is seen of other programs while ours run.
class RunWatch {
  public:
    void before() { before_ = read_processor_times(); }

    /// The share of the processors that others took during the run that ended, where it was long enough to
    /// tell.
    std::optional<double> after(const launch::Exit& exit);

    /// A note on what was seen over all runs; empty where that is small.
    [[nodiscard]] std::string note() const;

  private:
    std::optional<ProcessorTimes> before_;
    ProcessorTimes sum_;
    Seconds ours_{};
};

}  // namespace plimsoll::measure::detail
