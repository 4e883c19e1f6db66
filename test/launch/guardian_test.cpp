#include "plimsoll/launch/guardian.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "test/support/processes.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

using plimsoll::test::number_in;
using plimsoll::test::runs;
using plimsoll::test::shell;
using plimsoll::test::soon;
using plimsoll::test::TemporaryFolder;

/// A process that does something and then waits, until it is killed by SIGKILL.
class Victim {
  public:
    Victim(const std::function<void()>& work, const std::string& ready) : id_(::fork()) {
        if (id_ == 0) {
            work();
        }
        EXPECT_TRUE(soon([&] { return std::filesystem::exists(ready); }));
    }
    void kill() const {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }

  private:
    pid_t id_;
};

[[noreturn]] void sleep_for_ever() {
    for (;;) ::pause();
}

void touch(const std::string& path) { std::ofstream(path) << "ready\n"; }

TEST(Guardian, KillsWhatALauncherLeavesThatIsKilled) {
    const TemporaryFolder folder;
    const Victim victim(
        [&] {
            Guardian guardian(Seconds(0.2));
            const Process gentle =
                start(shell("echo $$ > " + folder / "gentle" + "; sleep 1000; true"), &guardian);
            const Process stubborn = start(
                shell("trap '' TERM; echo $$ > " + folder / "stubborn" + "; while :; do sleep 0.05; done"),
                &guardian);
            number_in(folder / "gentle");
            number_in(folder / "stubborn");
            touch(folder / "ready");
            sleep_for_ever();
        },
        folder / "ready");
    const pid_t gentle = number_in(folder / "gentle");
    const pid_t stubborn = number_in(folder / "stubborn");
    ASSERT_TRUE(runs(gentle));
    ASSERT_TRUE(runs(stubborn));
    victim.kill();
    EXPECT_TRUE(soon([&] { return !runs(gentle) && !runs(stubborn); }));
}

TEST(Guardian, ForgetsWhatHasEnded) {
    const TemporaryFolder folder;
    // The group that was forgotten goes on, which shows that it is no longer watched.
    const Victim victim(
        [&] {
            Guardian guardian(Seconds(0.1));
            const Process watched =
                start(shell("echo $$ > " + folder / "watched" + "; sleep 1000"), &guardian);
            const Process forgotten =
                start(shell("echo $$ > " + folder / "forgotten" + "; sleep 1000"), &guardian);
            guardian.forget(forgotten.process_id());
            for (int i = 0; i < 300; ++i) start({.arguments = {"true"}}, &guardian).wait();
            number_in(folder / "watched");
            number_in(folder / "forgotten");
            touch(folder / "ready");
            sleep_for_ever();
        },
        folder / "ready");
    victim.kill();
    EXPECT_TRUE(soon([&] { return !runs(number_in(folder / "watched")); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const pid_t forgotten = number_in(folder / "forgotten");
    EXPECT_TRUE(runs(forgotten));
    ::kill(-forgotten, SIGKILL);
}

TEST(Guardian, EndsWithItsLauncher) {
    const TemporaryFolder folder;
    pid_t id = 0;
    {
        const Guardian guardian;
        id = static_cast<pid_t>(guardian.process_id());
        EXPECT_TRUE(runs(id));
    }
    EXPECT_EQ(::waitpid(id, nullptr, WNOHANG), -1);
    EXPECT_FALSE(runs(id));
}

TEST(Guardian, HoldsNoDescriptorOfOthers) {
    const TemporaryFolder folder;
    const int open_here = ::open((folder / "held").c_str(), O_WRONLY | O_CREAT, 0600);
    const Guardian guardian;
    const auto descriptors = "/proc/" + std::to_string(static_cast<pid_t>(guardian.process_id())) + "/fd";
    EXPECT_TRUE(soon([&] {
        std::set<std::string> targets;
        for (const auto& entry : std::filesystem::directory_iterator(descriptors)) {
            std::error_code ignored;
            targets.insert(std::filesystem::read_symlink(entry, ignored).string().substr(0, 5));
        }
        return targets == std::set<std::string>{"/dev/", "pipe:"};
    }));
    ::close(open_here);
}

TEST(Guardian, HearsOfGroupsFromManyThreads) {
    const TemporaryFolder folder;
    constexpr int threads = 4;
    constexpr int each = 25;
    const Victim victim(
        [&] {
            Guardian guardian(Seconds(0.1));
            std::vector<std::thread> starters;
            for (int t = 0; t < threads; ++t) {
                starters.emplace_back([&, t] {
                    for (int i = 0; i < each; ++i) start({.arguments = {"true"}}, &guardian).wait();
                    const Process left =
                        start(shell("echo $$ > " + folder / std::to_string(t) + "; sleep 1000"), &guardian);
                    number_in(folder / std::to_string(t));
                    touch(folder / ("ready" + std::to_string(t)));
                    sleep_for_ever();
                });
            }
            sleep_for_ever();
        },
        folder / "ready0");
    for (int t = 0; t < threads; ++t) {
        EXPECT_TRUE(soon([&] { return std::filesystem::exists(folder / ("ready" + std::to_string(t))); }));
    }
    victim.kill();
    for (int t = 0; t < threads; ++t)
        EXPECT_TRUE(soon([&] { return !runs(number_in(folder / std::to_string(t))); }));
}

TEST(Guardian, MayBeKilledWithoutHarm) {
    Guardian guardian;
    ::kill(static_cast<pid_t>(guardian.process_id()), SIGKILL);
    ASSERT_TRUE(soon([&] { return !runs(static_cast<pid_t>(guardian.process_id())); }));
    EXPECT_TRUE(start({.arguments = {"true"}}, &guardian).wait().succeeded());
}

}  // namespace
}  // namespace plimsoll::launch
