#include "plimsoll/launch/process.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include "test/support/processes.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

using plimsoll::test::number_in;
using plimsoll::test::runs;
using plimsoll::test::shell;
using plimsoll::test::soon;
using plimsoll::test::TemporaryFolder;
using Clock = Process::Clock;
using std::chrono::milliseconds;

const Command sleeps{.arguments = {"sleep", "1000"}};

TEST(Process, TellsHowItEnded) {
    const Exit good = start({.arguments = {"true"}}).wait();
    EXPECT_TRUE(good.succeeded());
    EXPECT_EQ(describe(good), "success");
    const Exit bad = start(shell("exit 3")).wait();
    EXPECT_FALSE(bad.succeeded());
    EXPECT_EQ(bad.code, 3);
    EXPECT_EQ(describe(bad), "exit code 3");
    const Exit killed = start(shell("kill -9 $$")).wait();
    EXPECT_FALSE(killed.succeeded());
    EXPECT_EQ(killed.signal, SIGKILL);
    EXPECT_EQ(describe(killed), "signal 9 (Killed)");
}

TEST(Process, SaysTheSameEndAgain) {
    Process process = start(shell("exit 3"));
    EXPECT_EQ(process.wait().code, 3);
    EXPECT_EQ(process.wait().code, 3);
    EXPECT_EQ(process.poll()->code, 3);
    EXPECT_EQ(process.wait_until(Clock::now())->code, 3);
    EXPECT_EQ(process.stop(Seconds(0)).code, 3);
}

TEST(Process, CanBeAskedWhileItRuns) {
    Process process = start(sleeps);
    EXPECT_EQ(process.poll(), std::nullopt);
    const auto before = Clock::now();
    EXPECT_EQ(process.wait_until(before + milliseconds(30)), std::nullopt);
    EXPECT_GE(Clock::now() - before, milliseconds(30));
    process.signal_group(SIGKILL);
    EXPECT_EQ(process.wait_until(Clock::now() + std::chrono::seconds(10))->signal, SIGKILL);
}

TEST(Process, HasADescriptorThatTellsItsEnd) {
    Process process = start(sleeps);
    pollfd end{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&end, 1, 0), 0);
    process.signal_group(SIGTERM);
    EXPECT_EQ(::poll(&end, 1, 10000), 1);
    EXPECT_EQ(process.poll()->signal, SIGTERM);
}

TEST(Process, ThatNeverRanHasADescriptorThatTellsItsEnd) {
    Process process(Exit{});
    pollfd end{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&end, 1, 0), 1);
    EXPECT_TRUE(process.poll()->succeeded());
}

TEST(Process, TellsWhatItTook) {
    const Exit exit =
        start({.arguments = {"dd", "if=/dev/zero", "of=/dev/null", "bs=64M", "count=2", "status=none"}})
            .wait();
    EXPECT_GE(exit.usage.peak_memory_bytes, std::uint64_t{64} << 20U);
    EXPECT_LE(exit.usage.peak_memory_bytes, std::uint64_t{128} << 20U);
    EXPECT_GE(exit.usage.minor_faults, 100U);
    EXPECT_GT(exit.usage.system.count(), 0.0);
    EXPECT_EQ(exit.usage.bytes_read, std::nullopt);
    EXPECT_GE(exit.wall, exit.usage.system - Seconds(0.02));
}

TEST(Process, CountsLittleOfOurOwnMemoryWhereItBeginsSmall) {
    Command command{.arguments = {"true"}};
    const auto fast = start(command).wait().usage.peak_memory_bytes;
    command.beginning = Beginning::small;
    const auto small = start(command).wait().usage.peak_memory_bytes;
    EXPECT_LT(small, fast);
}

TEST(Process, CountsItsDescendants) {
    const Exit exit = start(shell("dd if=/dev/zero of=/dev/null bs=64M count=1 status=none; true")).wait();
    EXPECT_GE(exit.usage.peak_memory_bytes, std::uint64_t{64} << 20U);
}

TEST(Process, CountsBytesWhereAskedTo) {
    Command command = shell("dd if=/dev/zero of=/dev/null bs=1M count=5 status=none; true");
    command.accounting = Accounting::with_bytes;
    const Exit exit = start(command).wait();
    if (!exit.usage.bytes_read) GTEST_SKIP() << "/proc/PID/io is not readable here";
    const std::uint64_t copied = std::uint64_t{5} << 20U;
    EXPECT_GE(*exit.usage.bytes_read, copied);
    EXPECT_LE(*exit.usage.bytes_read, copied + (1U << 18U));  // and what loaders read
    EXPECT_GE(*exit.usage.bytes_written, copied);
    EXPECT_LE(*exit.usage.bytes_written, copied + (1U << 12U));
}

TEST(Process, MeasuresItsWallTime) {
    const Exit exit = start({.arguments = {"sleep", "0.2"}}).wait();
    EXPECT_GE(exit.wall.count(), 0.2);
    EXPECT_LT(exit.wall.count(), 2.0);
    EXPECT_LT(exit.usage.user.count(), 0.1);
}

TEST(Process, StopsWithAllItsDescendants) {
    const TemporaryFolder folder;
    Process process =
        start(shell("sh -c 'sleep 1000 & echo $! > " + folder / "grandchild" + "; wait'; true"));
    const pid_t grandchild = number_in(folder / "grandchild");
    ASSERT_TRUE(runs(grandchild));
    EXPECT_EQ(process.stop(Seconds(5)).signal, SIGTERM);
    EXPECT_TRUE(soon([&] { return !runs(grandchild); }));
}

TEST(Process, IsKilledAfterTheGraceWhereItDoesNotStop) {
    const TemporaryFolder folder;
    Process process = start(shell("trap '' TERM; (while :; do sleep 1000; done) & echo $! > " +
                                  folder / "id" + "; wait; wait; sleep 1000"));
    const pid_t grandchild = number_in(folder / "id");
    const auto before = Clock::now();
    EXPECT_EQ(process.stop(Seconds(0.1)).signal, SIGKILL);
    EXPECT_GE(Clock::now() - before, milliseconds(100));
    EXPECT_TRUE(soon([&] { return !runs(grandchild); }));
}

TEST(Process, LeavesTheGraceToItsDescendantsAsWell) {
    const TemporaryFolder folder;
    // The shell ends by SIGTERM at once, while what it started still writes down its state.
    Process process =
        start(shell("(trap 'sleep 0.2; echo saved > " + folder / "state" + "; exit' TERM; echo ready > " +
                    folder / "ready" + "; while :; do sleep 0.02; done) & wait"));
    ASSERT_TRUE(soon([&] { return std::filesystem::exists(folder / "ready"); }));
    process.stop(Seconds(10));
    EXPECT_TRUE(std::filesystem::exists(folder / "state"));
}

TEST(Process, StopsAlsoWhenItIsSuspended) {
    Process process = start(sleeps);
    process.signal_group(SIGSTOP);
    EXPECT_EQ(process.stop(Seconds(10)).signal, SIGTERM);
}

TEST(Process, TakesItsGroupAlongWhenItEnds) {
    const TemporaryFolder folder;
    Process process = start(shell("sleep 1000 & echo $! > " + folder / "left"));
    EXPECT_TRUE(process.wait().succeeded());
    const pid_t left = number_in(folder / "left");
    EXPECT_TRUE(soon([&] { return !runs(left); }));
}

TEST(Process, LeavesNothingBehindWhenItGoes) {
    const TemporaryFolder folder;
    pid_t child = 0;
    pid_t grandchild = 0;
    {
        const Process process = start(shell("sleep 1000 & echo $! > " + folder / "id" + "; wait"));
        child = static_cast<pid_t>(process.process_id());
        grandchild = number_in(folder / "id");
    }
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), -1) << "a zombie is left";
    EXPECT_TRUE(soon([&] { return !runs(grandchild); }));
}

TEST(Process, IsMoved) {
    Process first = start(sleeps);
    const pid_t id = static_cast<pid_t>(first.process_id());
    Process second = std::move(first);
    EXPECT_TRUE(runs(id));
    EXPECT_EQ(second.poll(), std::nullopt);
    second = start(sleeps);
    EXPECT_FALSE(runs(id)) << "what is replaced ends";
    EXPECT_EQ(second.poll(), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::launch
