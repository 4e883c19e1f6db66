// What does it cost to start `true` and take its end, beside a bare loop of posix_spawn and waitpid?
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "plimsoll/launch/guardian.hpp"
#include "plimsoll/launch/launcher.hpp"

namespace {

using namespace plimsoll::launch;

const Command runs_true{.arguments = {"/bin/true"}};

/// The least that a program can be started with: inherited streams, no group. False where it fails.
bool spawn_bare() {
    static std::array<char, 10> name{"/bin/true"};
    static std::array<char*, 2> arguments{name.data(), nullptr};
    pid_t child = 0;
    int status = 1;
    return ::posix_spawn(&child, name.data(), nullptr, nullptr, arguments.data(), environ) == 0 &&
           ::waitpid(child, &status, 0) == child && status == 0;
}

void bare_posix_spawn(benchmark::State& state) {
    for (auto _ : state) {
        if (!spawn_bare()) {
            state.SkipWithError("'true' failed");
            return;
        }
    }
}
BENCHMARK(bare_posix_spawn)->UseRealTime()->Unit(benchmark::kMicrosecond);

void take_ends(benchmark::State& state, const Command& command, Guardian* guardian) {
    for (auto _ : state) {
        if (!start(command, guardian).wait().succeeded()) {
            state.SkipWithError("'true' failed");
            return;
        }
    }
}

void start_and_wait(benchmark::State& state) { take_ends(state, runs_true, nullptr); }
BENCHMARK(start_and_wait)->UseRealTime()->Unit(benchmark::kMicrosecond);

void with_guardian(benchmark::State& state) {
    Guardian guardian;
    take_ends(state, runs_true, &guardian);
}
BENCHMARK(with_guardian)->UseRealTime()->Unit(benchmark::kMicrosecond);

void with_guardian_and_bytes(benchmark::State& state) {
    Guardian guardian;
    Command command = runs_true;
    command.accounting = Accounting::with_bytes;
    take_ends(state, command, &guardian);
}
BENCHMARK(with_guardian_and_bytes)->UseRealTime()->Unit(benchmark::kMicrosecond);

void with_limits(benchmark::State& state) {
    Command command = runs_true;
    command.limits.open_files = 256;
    take_ends(state, command, nullptr);
}
BENCHMARK(with_limits)->UseRealTime()->Unit(benchmark::kMicrosecond);

/// All of them in turn within one loop, so that what else runs falls on each alike; medians in microseconds.
void side_by_side(benchmark::State& state) {
    Guardian guardian;
    std::array<std::vector<double>, 3> times;
    const auto time = [](const auto& work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    };
    for (auto _ : state) {
        times[0].push_back(time([] { benchmark::DoNotOptimize(spawn_bare()); }));
        times[1].push_back(time([] { benchmark::DoNotOptimize(start(runs_true).wait()); }));
        times[2].push_back(time([&] { benchmark::DoNotOptimize(start(runs_true, &guardian).wait()); }));
    }
    const auto median = [](std::vector<double>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    state.counters["bare_us"] = median(times[0]);
    state.counters["start_us"] = median(times[1]);
    state.counters["guardian_us"] = median(times[2]);
}
BENCHMARK(side_by_side)->Iterations(2000)->UseRealTime()->Unit(benchmark::kMicrosecond);

void nothing_at_all(benchmark::State& state) {
    const auto launcher = null_launcher();
    for (auto _ : state) benchmark::DoNotOptimize(launcher->start(runs_true).wait());
}
BENCHMARK(nothing_at_all)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
