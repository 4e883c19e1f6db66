#include "plimsoll/launch/control_group.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "plimsoll/core/error.hpp"
#include "plimsoll/launch/process.hpp"
#include "plimsoll/launch/room.hpp"
#include "test/support/processes.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

using plimsoll::test::number_in;
using plimsoll::test::shell;

constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;

class ControlGroupTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!groups_.obstacle().empty()) GTEST_SKIP() << "no control groups: " << groups_.obstacle();
    }

    /// A program that may have 64 MiB.
    Process begin(const std::string& script) {
        Command command = shell(script);
        command.streams.out.to = Redirection::To::null;
        command.limits.shared_memory_bytes = 64 * mebi;
        return start(command, nullptr, &groups_);
    }

    ControlGroups groups_;
    plimsoll::test::TemporaryFolder folder_;
};

// `tail` keeps all of a line that does not end.
TEST_F(ControlGroupTest, EndsAProgramThatTakesMore) {
    const Exit much = begin("head -c 200M /dev/zero | tail -n 1").wait();
    EXPECT_TRUE(much.ran_out_of_memory);
    EXPECT_FALSE(much.succeeded());
    const Exit little = begin("head -c 16M /dev/zero | tail -n 1").wait();
    EXPECT_FALSE(little.ran_out_of_memory);
    EXPECT_TRUE(little.succeeded()) << describe(little);
}

TEST_F(ControlGroupTest, CountsAllProcessesTogether) {
    const std::string one = "(head -c 40M /dev/zero; sleep 0.7) | tail -n 1";
    EXPECT_FALSE(begin(one).wait().ran_out_of_memory);
    EXPECT_TRUE(begin(one + " & " + one + "; wait").wait().ran_out_of_memory);
}

TEST_F(ControlGroupTest, GivesFilesInTheCacheUpFirst) {
    const std::string file = folder_ / "large";
    const Exit exit =
        begin("dd if=/dev/zero of=" + file + " bs=1M count=150 status=none && cat " + file).wait();
    EXPECT_TRUE(exit.succeeded()) << describe(exit);
    EXPECT_FALSE(exit.ran_out_of_memory);
}

TEST_F(ControlGroupTest, KillsWhatHasLeftTheProcessGroup) {
    const std::string id = folder_ / "id";
    const Exit exit = begin("setsid sh -c 'echo $$ > " + id +
                            "; exec sleep 1000' & "
                            "while ! [ -s " +
                            id + " ]; do sleep 0.01; done")
                          .wait();
    EXPECT_TRUE(exit.succeeded()) << describe(exit);
    const pid_t daemon = number_in(id);
    ASSERT_GT(daemon, 1);
    EXPECT_TRUE(plimsoll::test::soon([&] { return !plimsoll::test::runs(daemon); }));
}

TEST_F(ControlGroupTest, TellsWhatHasLeftTheProcessGroupToEnd) {
    const std::string id = folder_ / "id";
    const std::string last_words = folder_ / "last";
    Process process = begin("setsid sh -c 'trap \"echo 1 > " + last_words + "; exit\" TERM; echo $$ > " + id +
                            "; while :; do sleep 0.01; done' & wait");
    ASSERT_GT(number_in(id), 1);
    EXPECT_EQ(process.stop(Seconds(20.0)).signal, SIGTERM);
    EXPECT_EQ(number_in(last_words), 1);
}

TEST_F(ControlGroupTest, AreRemovedWithTheirProgram) {
    const auto group = groups_.make(64 * mebi);
    EXPECT_TRUE(group->members().empty());
    EXPECT_FALSE(group->ran_out_of_memory());
    const std::string place =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(group->entrance())).parent_path();
    const std::filesystem::path all = std::filesystem::path(place).parent_path();
    const auto count = [&] {
        int groups = 0;
        for (const auto& entry : std::filesystem::directory_iterator(all)) groups += entry.is_directory();
        return groups;
    };
    const int before = count();
    {
        Process process = begin("sleep 1000");
        EXPECT_EQ(count(), before + 1);
    }
    EXPECT_EQ(count(), before);
}

TEST_F(ControlGroupTest, LeavesSoMuchRoom) {
    const Room whole = room_here();
    EXPECT_GT(whole.memory_bytes, 64.0 * mebi);
    EXPECT_GE(whole.processors, 1U);
    EXPECT_LE(whole.processors, std::thread::hardware_concurrency());
    const auto group = groups_.make(64 * mebi);
    const auto look = [&] {
        (void)!::write(group->entrance(), "0", 1);
        std::exit(room_here().memory_bytes == 64.0 * mebi ? 0 : 1);
    };
    EXPECT_EXIT(look(), testing::ExitedWithCode(0), "");
}

TEST_F(ControlGroupTest, LeaveAProgramThatIsNotThereAnError) {
    Command command{.arguments = {"no-such-program-at-all"}};
    command.limits.shared_memory_bytes = 64 * mebi;
    EXPECT_THROW(static_cast<void>(start(command, nullptr, &groups_)), Error);
}

}  // namespace
}  // namespace plimsoll::launch
