#include "plimsoll/measure/runner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "plimsoll/measure/energy.hpp"

namespace plimsoll::measure {

namespace {

constexpr Seconds grace(0.5);

Outcome run(const Task& task, launch::Launcher& launcher, Activity& activity, EnergyMeter* meter) {
    using Clock = launch::Process::Clock;
    if (meter != nullptr) meter->start();
    launch::Process process = launcher.start(task.command);
    const auto started = Clock::now();
    const auto deadline = task.timeout ? started + std::chrono::duration_cast<Clock::duration>(*task.timeout)
                                       : Clock::time_point::max();
    auto next_sample = started + std::chrono::minutes(1);
    Outcome outcome;
    for (;;) {
        const auto tick = Clock::now() + std::chrono::milliseconds(100);
        if (const auto exit = process.wait_until(std::min(tick, deadline))) {
            outcome.exit = *exit;
            if (!exit->succeeded()) outcome.failure = launch::describe(*exit);
            break;
        }
        if (Clock::now() >= deadline) {
            outcome.exit = process.stop(grace);
            outcome.failure = fmt::format("was stopped after {:.4g} s", task.timeout->count());
            break;
        }
        if (activity.stop_requested()) {
            process.stop(grace);
            throw Cancelled();
        }
        activity.step(0);
        if (meter != nullptr && Clock::now() >= next_sample) {
            meter->sample();
            next_sample += std::chrono::minutes(1);
        }
    }
    if (meter != nullptr) {
        meter->sample();
        outcome.joules = meter->joules();
    }
    return outcome;
}

}  // namespace

Runner local_runner(launch::Launcher& launcher, Energy energy) {
    std::shared_ptr<EnergyMeter> meter;
    if (energy == Energy::measured) {
        meter = std::make_shared<EnergyMeter>();
        if (!meter->is_available()) meter.reset();
    }
    return [&launcher, meter](const Task& task, Activity& activity) {
        return run(task, launcher, activity, meter.get());
    };
}

}  // namespace plimsoll::measure
