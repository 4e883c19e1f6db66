#include "plimsoll/launch/launcher.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "test/support/temporary_folder.hpp"

namespace plimsoll::launch {
namespace {

TEST(LocalLauncher, RunsPrograms) {
    const auto launcher = local_launcher();
    EXPECT_EQ(launcher->start({.arguments = {"sh", "-c", "exit 5"}}).wait().code, 5);
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
