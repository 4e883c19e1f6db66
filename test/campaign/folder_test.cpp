#include "plimsoll/campaign/folder.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/temporary_folder.hpp"

namespace {

long pretended_type = 0;  // of every file system; 0: as it is

}  // namespace

// In place of the C library's, so that there is a network file system to test with.
extern "C" int statfs(const char* path, struct statfs* information) noexcept {
    const auto status = static_cast<int>(::syscall(SYS_statfs, path, information));
    if (pretended_type != 0) information->f_type = pretended_type;
    return status;
}

namespace plimsoll::campaign {
namespace {

namespace fs = std::filesystem;

TEST(Folder, IsMadeOnce) {
    const test::TemporaryFolder parent;
    const Folder made = Folder::make(parent / "runs", {});
    EXPECT_EQ(Folder::find(parent / "runs").path(), made.path());
    EXPECT_EQ(made.secret(), Folder::find(made.path()).secret());
    EXPECT_THROW((void)Folder::make(parent / "runs", {}), Error);
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(made.path())) files += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(files, 2U) << "the secret and the settings, and nothing that is left over";
}

TEST(Folder, IsCompletedWhereItsMakingWasEndedHalfWay) {
    const test::TemporaryFolder parent;
    const Folder made = Folder::make(parent.path().string(), {});
    const Secret secret = made.secret();
    fs::remove(made.path() + "/settings.json");
    EXPECT_EQ(Folder::make(parent.path().string(), {.durability = Durability::full}).secret(), secret);
    EXPECT_EQ(made.durability(), Durability::full);
}

TEST(Folder, IsLeftAloneOnAFileSystemOfANetwork) {
    const test::TemporaryFolder parent;
    const std::string database = parent.write(".plimsoll/campaign.db", "precious");
    pretended_type = 0x6969;
    EXPECT_THROW((void)Folder::make(parent.path().string(), {}), Error);
    EXPECT_THROW((void)Folder::make(parent / "new/runs", {}), Error);
    EXPECT_NO_THROW((void)Folder::make(parent / "allowed", {.any_file_system = true}));
    pretended_type = 0;
    EXPECT_EQ(read_file(database), "precious");
    EXPECT_FALSE(fs::exists(parent / "new"));
}

TEST(Folder, HasAnAddressOrNoneWhileServersComeAndGo) {
    const test::TemporaryFolder parent;
    const Folder folder = Folder::make(parent.path().string(), {});
    std::atomic<bool> ends = false;
    std::thread servers([&] {
        while (!ends) {
            folder.write_address({.host = "127.0.0.1", .port = 7});
            folder.remove_address();
        }
    });
    int there = 0;
    int absent = 0;
    for (int i = 0; i < 20'000 || there == 0 || absent == 0; ++i) {
        const auto address = folder.address();
        ++(address ? there : absent);
        EXPECT_TRUE(!address || address->port == 7);
    }
    ends = true;
    servers.join();
}

TEST(FolderLock, TellsWhetherItIsHeld) {
    const test::TemporaryFolder parent;
    const Folder folder = Folder::make(parent.path().string(), {});
    EXPECT_FALSE(FolderLock::is_held(folder));
    {
        const FolderLock lock(folder);
        EXPECT_TRUE(FolderLock::is_held(folder));
        EXPECT_THROW(FolderLock{folder}, Error);
    }
    EXPECT_FALSE(FolderLock::is_held(folder));
}

}  // namespace
}  // namespace plimsoll::campaign
