#pragma once

#include <functional>
#include <optional>
#include <string>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/launch/exit.hpp"
#include "plimsoll/measure/machine_watch.hpp"

namespace plimsoll::measure::detail {

/// Tells what the processors have done so far.
using ProcessorClock = std::function<std::optional<ProcessorTimes>()>;

/// Waits until nothing else runs on this machine, as far as the patience goes; then throws an environment
/// error.
void require_quiet(Activity& activity, const ProcessorClock& read = read_processor_times,
                   Seconds patience = Seconds(60), Seconds span = Seconds(0.5));

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
    std::optional<double> load_before_ = load_average();  ///< afterwards it would be our own as well
    std::optional<ProcessorTimes> before_;
    ProcessorTimes sum_;
    Seconds ours_{};
};

}  // namespace plimsoll::measure::detail
