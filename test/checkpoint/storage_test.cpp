#include "plimsoll/checkpoint/storage.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <random>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint {
namespace {

/// Each test runs by each engine.
class StorageTest : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        storage = GetParam() == std::string("io_uring") ? uring_storage() : pwrite_storage();
        if (!storage) GTEST_SKIP() << "the system or this build has no io_uring";
        ASSERT_EQ(storage->name(), GetParam());
    }
    std::unique_ptr<Storage> storage;
    plimsoll::test::TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Engine, StorageTest, testing::Values("pwrite", "io_uring"));

template <class Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::environment);
        return error.what();
    }
    return "none";
}

TEST_P(StorageTest, ReadsWhatWasWrittenInAnyPieces) {
    std::mt19937_64 random(1);
    for (const std::uint64_t size : {1U, 4096U, 65536U, 65537U, 3U << 20, (40U << 20) + 4096U}) {
        const detail::AlignedBuffer buffer(size);
        const std::span<std::byte> content = buffer.bytes().first(size);
        for (std::byte& byte : content) byte = static_cast<std::byte>(random());
        for (const std::uint64_t piece : {std::uint64_t{4} << 20, std::uint64_t{1'000'001}}) {
            const std::string path = folder / (std::to_string(size) + "-" + std::to_string(piece));
            const auto file = storage->create(path, size);
            for (std::uint64_t begin = 0; begin < size; begin += piece)
                file->write(begin, content.subspan(begin, std::min(piece, size - begin)));
            file->sync();
            const auto stored = storage->open(path);
            ASSERT_TRUE(stored);
            ASSERT_EQ(stored->size(), size);
            std::vector<std::byte> read(size);
            stored->read(0, read);
            EXPECT_TRUE(std::equal(read.begin(), read.end(), content.begin()))
                << size << " in pieces of " << piece;
        }
    }
}

TEST_P(StorageTest, NeedsBytesUntilDrainAlone) {
    constexpr std::uint64_t size = 8 << 20;
    const detail::AlignedBuffer slice(1 << 20);
    const auto file = storage->create(folder / "f", size);
    for (std::uint64_t begin = 0; begin < size; begin += slice.bytes().size()) {
        file->drain();
        std::fill(slice.bytes().begin(), slice.bytes().end(), static_cast<std::byte>(begin >> 20));
        file->write(begin, slice.bytes());
    }
    file->sync();
    std::vector<std::byte> read(size);
    storage->open(folder / "f")->read(0, read);
    for (std::uint64_t i = 0; i < size; i += 4096) ASSERT_EQ(read[i], static_cast<std::byte>(i >> 20)) << i;
}

TEST_P(StorageTest, SaysWhatTheSystemRefuses) {
    EXPECT_EQ(message_of([&] { (void)storage->create(folder / "no/f", 100'000); }),
              folder / "no/f" + ": cannot create: No such file or directory");
    folder.write("f", "x");
    EXPECT_EQ(message_of([&] { (void)storage->create(folder / "f", 100'000); }),
              folder / "f" + ": cannot create: File exists");
    EXPECT_EQ(message_of([&] { storage->make_folder(folder / "f"); }),
              folder / "f" + ": cannot make the folder: Not a directory");
    EXPECT_EQ(message_of([&] { (void)storage->create(folder / "g", std::uint64_t{1} << 60); }).substr(0, 50),
              (folder / "g" + ": cannot reserve room: ").substr(0, 50));
    EXPECT_FALSE(storage->exists(folder / "g")) << "nothing is left of it";
    EXPECT_EQ(message_of([&] { storage->rename(folder / "a", folder / "b"); }),
              folder / "a" + ": cannot rename: No such file or directory");
    EXPECT_EQ(storage->open(folder / "nothing"), nullptr);
    EXPECT_EQ(storage->open(folder.path().string()), nullptr) << "a folder is no file";
    EXPECT_NO_THROW(storage->remove_file(folder / "nothing"));
    EXPECT_TRUE(storage->list(folder / "nothing").empty());
}

TEST_P(StorageTest, HoldsALockOnce) {
    auto lock = storage->lock(folder.path().string());
    EXPECT_TRUE(lock);
    EXPECT_FALSE(storage->lock(folder.path().string()));
    lock.reset();
    EXPECT_TRUE(storage->lock(folder.path().string()));
}

/// Makes the system answer io_uring_setup with "not permitted", as containers do; there is no way back.
bool forbid_io_uring() {
    std::array<sock_filter, 4> program{{
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_io_uring_setup},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    }};
    const sock_fprog filter{.len = program.size(), .filter = program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(DefaultStorage, IsPwriteWhereIoUringIsForbidden) {
    const plimsoll::test::TemporaryFolder folder;
    constexpr int no_seccomp = 77;
    const pid_t child = ::fork();
    if (child == 0) {
        if (!forbid_io_uring()) ::_exit(no_seccomp);
        std::vector<double> field(100'000, 2.5);
        {
            Session session({.folder = folder / "s"});
            session.protect("field", std::span(field));
            session.save(1);
            session.finish();
            std::fill(field.begin(), field.end(), 0.0);
            session.restore();
        }
        const bool is_well =
            default_storage()->name() == "pwrite" && field == std::vector<double>(100'000, 2.5);
        ::_exit(is_well ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == no_seccomp)
        GTEST_SKIP() << "the system has no seccomp filters";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace plimsoll::checkpoint
