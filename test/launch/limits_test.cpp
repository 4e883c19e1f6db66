#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"
#include "test/support/processes.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

using plimsoll::test::output_of;
using plimsoll::test::shell;

constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;

TEST(Limits, KeepMemoryToTheirFigure) {
    Command command{.arguments = {"dd", "if=/dev/zero", "of=/dev/null", "bs=512M", "count=1", "status=none"}};
    command.streams.err.to = Redirection::To::null;
    EXPECT_TRUE(start(command).wait().succeeded());
    command.limits.memory_bytes = 256 * mebi;
    EXPECT_EQ(start(command).wait().code, 1);
    command.limits.memory_bytes = 1024 * mebi;
    EXPECT_TRUE(start(command).wait().succeeded());
}

TEST(Limits, EndAProgramThatComputesTooLong) {
    Command command = shell("while :; do :; done");
    command.limits.processor_time = Seconds(0.5);  // in whole seconds, so 1 s
    const Exit exit = start(command).wait();
    EXPECT_EQ(exit.signal, SIGXCPU);
    EXPECT_NEAR(exit.usage.user.count() + exit.usage.system.count(), 1.0, 0.3);
}

TEST(Limits, HoldForTheProgramAndItsDescendants) {
    const plimsoll::test::TemporaryFolder folder;
    Command command = shell("ulimit -n; sh -c 'ulimit -n'; ls /proc/$$/fd; true");
    command.limits.open_files = 77;
    EXPECT_EQ(output_of(command, folder / "out"), "77\n77\n0\n1\n2\n");
}

TEST(Limits, ChangeNothingElseOfAStart) {
    const plimsoll::test::TemporaryFolder folder;
    Command command{.arguments = {"sh", "-c",
                                  "pwd; echo $PLIMSOLL_TEST_NEW; grep SigBlk /proc/self/status; "
                                  "ps -o pgid= -p $$ | tr -d ' '; echo $$"},
                    .environment = {{"PLIMSOLL_TEST_NEW", "new"}},
                    .working_folder = "/"};
    command.limits.open_files = 77;
    const std::string printed = output_of(command, folder / "out");
    const std::string expected = "/\nnew\nSigBlk:\t0000000000000000\n";
    ASSERT_EQ(printed.substr(0, expected.size()), expected);
    const std::string ids = printed.substr(expected.size());
    EXPECT_EQ(ids.substr(0, ids.find('\n')), ids.substr(ids.find('\n') + 1, ids.find('\n')));
}

TEST(Limits, LeaveAProgramThatIsNotThereAnError) {
    Command command{.arguments = {"no-such-program-at-all"}};
    command.limits.open_files = 77;
    EXPECT_THROW(static_cast<void>(start(command)), Error);
}

}  // namespace
}  // namespace plimsoll::launch
