// What does it cost to start `true` and take its end, beside a bare loop of posix_spawn and waitpid?
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "plimsoll/launch/guardian.hpp"
#include "plimsoll/launch/launcher.hpp"

namespace {

using namespace plimsoll::launch;

const Command runs_true{.arguments = {"/bin/true"}};

/// The least that a program can be started with: inherited streams, no group.
void bare_posix_spawn(benchmark::State& state) {
    std::array<char, 10> name{"/bin/true"};
    std::array<char*, 2> arguments{name.data(), nullptr};
    for (auto _ : state) {
        pid_t child = 0;
        int status = 1;
        if (::posix_spawn(&child, name.data(), nullptr, nullptr, arguments.data(), environ) != 0 ||
            ::waitpid(child, &status, 0) != child || status != 0) {
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

void nothing_at_all(benchmark::State& state) {
    const auto launcher = null_launcher();
    for (auto _ : state) benchmark::DoNotOptimize(launcher->start(runs_true).wait());
}
BENCHMARK(nothing_at_all)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
