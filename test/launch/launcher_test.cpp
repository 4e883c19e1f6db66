#include "plimsoll/launch/launcher.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

TEST(LocalLauncher, RunsPrograms) {
    const auto launcher = local_launcher();
    EXPECT_EQ(launcher->start({.arguments = {"sh", "-c", "exit 5"}}).wait().code, 5);
}

TEST(LocalLauncher, MayBeUsedOnSeveralThreads) {
    const auto launcher = local_launcher();
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 25; ++i) {
                Command command{.arguments = {"sh", "-c", "exit " + std::to_string(thread + 1)}};
                command.streams.out.to = Redirection::To::pipe;
                if (i % 3 == 0) command.limits.open_files = 64;
                Process process = launcher->start(command);
                right += process.wait().code == thread + 1 ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 100);
}

TEST(NullLauncher, RunsNothing) {
    const plimsoll::test::TemporaryFolder folder;
    const auto launcher = null_launcher();
    Process process = launcher->start({.arguments = {"touch", folder / "trace"}});
    EXPECT_TRUE(process.poll()->succeeded());
    EXPECT_TRUE(process.stop(Seconds(1)).succeeded());
    EXPECT_FALSE(std::filesystem::exists(folder / "trace"));
}

}  // namespace
}  // namespace plimsoll::launch
