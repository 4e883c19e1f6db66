#include "plimsoll/measure/detail/run_watch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure::detail {

void require_quiet(Activity& activity) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::minutes(1);
    std::optional<Disturbance> seen;
    while (Clock::now() < deadline) {
        const auto before = read_processor_times();
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        const auto after = read_processor_times();
        if (!before || !after) return;
        seen = disturbance(*before, *after, Seconds(0));
        if (!seen || seen->is_small()) return;
        activity.step(0);
    }
    throw Error(ErrorKind::environment,
                fmt::format("this machine does not become quiet: {} for a minute", describe(*seen)),
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
    const auto load = load_average();
    return fmt::format("the machine was not quiet: {} during the runs{}", describe(*seen),
                       load ? fmt::format("; load average {:.1f}", *load) : std::string());
}

}  // namespace plimsoll::measure::detail
