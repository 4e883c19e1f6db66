#include "plimsoll/measure/detail/run_watch.hpp"

#include <fmt/format.h>

#include <thread>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure::detail {

void require_quiet(Activity& activity, const ProcessorClock& read, Seconds patience, Seconds span) {
    std::optional<Disturbance> seen;
    for (Seconds waited{}; waited < patience; waited += span) {
        const auto before = read();
        std::this_thread::sleep_for(span);
        const auto after = read();
        if (!before || !after) return;
        seen = disturbance(*before, *after, Seconds(0));
        if (!seen || seen->is_small()) return;
        activity.step(0);
    }
    if (!seen) return;
    throw Error(ErrorKind::environment,
                fmt::format("this machine does not become quiet: for {:.0f} s, {}", patience.count(),
                            describe(*seen)),
                "end what runs beside, or leave out --require-quiet");
}

std::optional<double> RunWatch::after(const launch::Exit& exit) {
    const auto now = read_processor_times();
    const Seconds ours = exit.usage.user + exit.usage.system;
    if (!before_ || !now) return std::nullopt;
    sum_.busy += now->busy - before_->busy;
    sum_.stolen += now->stolen - before_->stolen;
    sum_.total += now->total - before_->total;
    ours_ += ours;
    const auto seen = disturbance(*before_, *now, ours);
    return seen ? std::optional(seen->others) : std::nullopt;
}

std::string RunWatch::note() const {
    const auto seen = disturbance({}, sum_, ours_);
    if (!seen || seen->is_small()) return {};
    return fmt::format(
        "the machine was not quiet: {} during the runs{}", describe(*seen),
        load_before_ ? fmt::format("; load average {:.1f} before the first", *load_before_) : std::string());
}

}  // namespace plimsoll::measure::detail
