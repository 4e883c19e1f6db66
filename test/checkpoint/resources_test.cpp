#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "plimsoll/checkpoint/session.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint {
namespace {

// Sanitizers keep what was freed for a while, so that memory says nothing there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_counts = false;
#else
constexpr bool memory_counts = true;
#endif

/// A folder in memory where there is one: a thousand saves take a minute on a disk.
class FastFolder {
  public:
    FastFolder() {
        std::string name = "/dev/shm/plimsoll-checkpoint-XXXXXX";
        if (::mkdtemp(name.data()) != nullptr) path_ = name;
    }
    FastFolder(const FastFolder&) = delete;
    FastFolder& operator=(const FastFolder&) = delete;
    ~FastFolder() {
        if (!path_.empty()) std::filesystem::remove_all(path_);
    }
    [[nodiscard]] std::string path() const { return path_.empty() ? (slow_ / "saves") : path_ + "/saves"; }

  private:
    std::string path_;
    plimsoll::test::TemporaryFolder slow_;
};

std::size_t open_files() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t pages = 0;
    file >> pages >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Resources, StayFlatOverAThousandSaves) {
    const FastFolder folder;
    std::vector<double> field(1 << 16);  // half a MiB
    Session session({.folder = folder.path()});
    session.protect("field", std::span(field));
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (std::uint64_t step = 1; step <= 1000; ++step) {
        session.save(step);
        if (step != 100) continue;
        session.finish();
        files = open_files();
        bytes = resident_bytes();
    }
    session.finish();
    EXPECT_EQ(open_files(), files);
    constexpr std::size_t slack = 2 << 20;  // of the allocator; a leak of one copy in ten would be 45 MiB
    EXPECT_TRUE(!memory_counts || resident_bytes() < bytes + slack)
        << resident_bytes() - bytes << " bytes more";
}

TEST(Resources, StayFlatOverLazySaves) {
    const FastFolder folder;
    std::vector<double> field(1 << 18);  // two MiB
    Session session({.folder = folder.path(), .capture = Capture::lazy});
    session.protect("field", std::span(field));
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (std::uint64_t step = 1; step <= 300; ++step) {
        session.save(step);
        field[step * 500] += 1.0;
        if (step != 100) continue;
        session.finish();
        files = open_files();
        bytes = resident_bytes();
    }
    session.finish();
    EXPECT_EQ(open_files(), files);
    constexpr std::size_t slack = 6 << 20;  // three copies; a leak of one in ten would be 40 MiB
    EXPECT_TRUE(!memory_counts || resident_bytes() < bytes + slack)
        << resident_bytes() - bytes << " bytes more";
}

TEST(Resources, KeepToTheMemoryBudget) {
    const FastFolder folder;
    std::vector<double> field(1 << 20);  // 8 MiB
    const std::size_t before = resident_bytes();
    std::size_t most = 0;
    {
        Session session({.folder = folder.path(), .memory = 9 << 20});  // one copy, and no second one
        session.protect("field", std::span(field));
        for (std::uint64_t step = 1; step <= 8; ++step) {
            session.save(step);
            most = std::max(most, resident_bytes());
        }
        session.finish();
    }
    EXPECT_TRUE(!memory_counts || most < before + (14 << 20)) << "a second copy would be 17 MiB";
}

TEST(Resources, ADiskThatGivesNoMoreFailsTheSaveAndLeavesTheOneBefore) {
    const plimsoll::test::TemporaryFolder folder;
    std::vector<double> field(1 << 16, 1.0);
    Session session({.folder = folder / "s"});
    session.protect("field", std::span(field));
    ASSERT_TRUE(session.save(1).wait());
    // A limit of the file size is refused where room is reserved, as a full disk is.
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = limit;
    small.rlim_cur = 100'000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::fill(field.begin(), field.end(), 2.0);
    const Save save = session.save(2);
    const bool is_saved = save.wait();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_FALSE(is_saved);
    EXPECT_TRUE(save.failure().ends_with("pack-0000.0.safetensors: cannot reserve room: File too large"))
        << save.failure();
    EXPECT_EQ(session.restore()->step, 1U);
    EXPECT_EQ(field, std::vector<double>(1 << 16, 1.0));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "s"), {}), 2)
        << "nothing is left of it";
    EXPECT_TRUE(session.save(3).wait());
}

TEST(Isolation, WritersThatGoOnAreNotSeen) {
    const FastFolder folder;
    // Every element has the same number; writers count it up together, between saves and while they are
    // written.
    std::vector<std::uint64_t> words(1 << 18);
    Session session({.folder = folder.path()});
    session.protect("words", std::span(words));
    for (std::uint64_t step = 1; step <= 20; ++step) {
        std::fill(words.begin(), words.end(), step);
        const Save save = session.save(step);
        std::thread writer([&] { std::fill(words.begin(), words.end(), 1000 + step); });
        writer.join();
        ASSERT_TRUE(save.wait());
        ASSERT_EQ(session.restore()->step, step);
        ASSERT_EQ(words, std::vector<std::uint64_t>(words.size(), step));
    }
}

}  // namespace
}  // namespace plimsoll::checkpoint
