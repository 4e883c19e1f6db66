#include "plimsoll/checkpoint/detail/lazy_copy.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <numeric>
#include <random>
#include <thread>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"

namespace plimsoll::checkpoint::detail {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool is_watched_by_thread_sanitizer = true;
#else
constexpr bool is_watched_by_thread_sanitizer = false;
#endif

std::span<std::uint64_t> words_of(const AlignedBuffer& buffer) {
    return {reinterpret_cast<std::uint64_t*>(buffer.bytes().data()), buffer.bytes().size() / 8};
}

bool counts_from(std::span<const std::uint64_t> words, std::uint64_t first) {
    for (const std::uint64_t word : words) {
        if (word != first++) return false;
    }
    return true;
}

class LazyCopyTest : public testing::Test {
  protected:
    static constexpr std::uint64_t bytes = 24 << 20;
    LazyCopyTest() { std::iota(words_of(memory_).begin(), words_of(memory_).end(), std::uint64_t{0}); }

    AlignedBuffer memory_{bytes};
    AlignedBuffer image_{bytes};
};

TEST_F(LazyCopyTest, IsThatOfTheBeginningAlthoughThreadsGoOnWriting) {
    for (std::uint64_t round = 0; round < 5; ++round) {
        std::iota(words_of(memory_).begin(), words_of(memory_).end(), round);
        LazyCopy copy({{.source = memory_.bytes(), .into = image_.bytes().data()}});
        // Each thread has every fourth word, so that all of them meet in the same granules.
        constexpr std::size_t threads = 4;
        std::vector<std::thread> writers;
        for (std::size_t t = 0; t < threads; ++t) {
            writers.emplace_back([&, t] {
                const auto words = words_of(memory_);
                std::mt19937_64 draw(t);
                const std::size_t begin = draw() % words.size() / threads * threads;
                for (std::size_t i = 0; i < words.size(); i += threads)
                    words[(begin + i) % words.size() / threads * threads + t] = ~std::uint64_t{0};
            });
        }
        if (round % 2 == 0) copy.copy_all();
        for (std::thread& writer : writers) writer.join();
        copy.copy_all();
        ASSERT_TRUE(counts_from(words_of(image_), round));
        const auto words = words_of(memory_);
        ASSERT_TRUE(std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return ~word == 0; }));
    }
}

TEST_F(LazyCopyTest, ThoseWhoWriteCopyTheirOwnGranules) {
    LazyCopy copy({{.source = memory_.bytes(), .into = image_.bytes().data()}});
    const auto words = words_of(memory_);
    const auto copied = words_of(image_);
    words[words.size() / 2] = 1;  // no thread copies: whoever writes does
    EXPECT_EQ(copied[words.size() / 2], words.size() / 2);
    EXPECT_EQ(copied.back(), 0U) << "the others are not copied yet";
    copy.copy_into(image_.bytes().last(100));
    EXPECT_EQ(copied.back(), words.size() - 1) << "those that are needed are";
    words[0] = 5;
    copy.copy_all();
    EXPECT_TRUE(counts_from(copied, 0));
}

TEST_F(LazyCopyTest, RangesMayLieAnywhere) {
    // Whole pages, but not whole granules; in the image in another order.
    const std::uint64_t page = system_page_bytes();
    const std::uint64_t half = bytes / 2;
    const std::span<std::byte> low = memory_.bytes().subspan(page, half - 3 * page);
    const std::span<std::byte> high = memory_.bytes().subspan(half + page, half - 2 * page);
    LazyCopy copy({{.source = high, .into = image_.bytes().data()},
                   {.source = low, .into = image_.bytes().data() + high.size() + 64}});
    EXPECT_TRUE(copy.covers(low.data() + 10, low.data() + 20));
    EXPECT_FALSE(copy.covers(memory_.bytes().data(), low.data()));
    words_of(memory_)[0] = 1;  // not protected: no fault, or nobody would answer it
    low.front() = std::byte{99};
    high.back() = std::byte{98};
    copy.copy_into(image_.bytes().subspan(high.size() + 64, low.size()));
    copy.copy_all();
    const auto copied = words_of(image_);
    const std::uint64_t high_words = high.size() / 8;
    EXPECT_TRUE(counts_from(copied.first(high_words), (half + page) / 8));
    EXPECT_TRUE(counts_from(copied.subspan(high_words + 8, low.size() / 8), page / 8));
}

TEST_F(LazyCopyTest, TheSystemCannotWriteToWhatIsProtected) {
    LazyCopy copy({{.source = memory_.bytes(), .into = image_.bytes().data()}});
    const int zeros = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(zeros, 0);
    EXPECT_EQ(::read(zeros, memory_.bytes().data(), 100), -1);
    EXPECT_EQ(errno, EFAULT) << "as the documentation says";
    copy.copy_all();
    EXPECT_EQ(::read(zeros, memory_.bytes().data(), 100), 100) << "and it can once it is copied";
    ::close(zeros);
    EXPECT_TRUE(counts_from(words_of(image_), 0));
}

TEST_F(LazyCopyTest, ChildrenOfAForkMayWrite) {
    LazyCopy copy({{.source = memory_.bytes(), .into = image_.bytes().data()}});
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(20);
        std::fill(memory_.bytes().begin(), memory_.bytes().end(), std::byte{1});
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    words_of(memory_)[7] = 0;
    copy.copy_all();
    EXPECT_TRUE(counts_from(words_of(image_), 0));
}

// A handler that was there before, or took the signal over meanwhile.
sigjmp_buf back;                       // NOLINT(*-avoid-non-const-global-variables)
std::atomic<int> faults_of_others{0};  // NOLINT(*-avoid-non-const-global-variables)
void count_and_leave(int /*number*/) {
    faults_of_others.fetch_add(1);
    siglongjmp(back, 1);
}

TEST_F(LazyCopyTest, FaultsThatAreNoCopysGoToWhoeverHadThem) {
    if (is_watched_by_thread_sanitizer)
        GTEST_SKIP() << "thread sanitizers do not follow jumps out of handlers";
    void* const forbidden = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(forbidden, MAP_FAILED);
    const int before = faults_of_others.load();
    struct sigaction theirs {};
    theirs.sa_handler = count_and_leave;
    struct sigaction found {};
    ASSERT_EQ(::sigaction(SIGSEGV, &theirs, &found), 0);
    LazyCopy copy({{.source = memory_.bytes(), .into = image_.bytes().data()}});  // takes it over again
    words_of(memory_)[3] = 0;
    EXPECT_EQ(faults_of_others.load(), before);
    if (sigsetjmp(back, 1) == 0) *static_cast<volatile char*>(forbidden) = 1;
    EXPECT_EQ(faults_of_others.load(), before + 1);
    copy.copy_all();
    EXPECT_TRUE(counts_from(words_of(image_), 0));
    ::munmap(forbidden, 4096);
    ASSERT_EQ(::sigaction(SIGSEGV, &found, nullptr), 0);
}

using LazyCopyDeathTest = LazyCopyTest;

TEST_F(LazyCopyDeathTest, ProgramsThatFaultByThemselvesStillDieOfIt) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            std::signal(SIGSEGV, SIG_DFL);  // sanitizers have their own
            LazyCopy copy({{.source = memory_.bytes(), .into = image_.bytes().data()}});
            copy.copy_all();
            void* const forbidden = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            *static_cast<volatile char*>(forbidden) = 1;
        },
        testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(LazyCopyTest, ASystemThatAllowsNoMoreMappingsIsNoHindrance) {
    // Pages of alternating protection, until the system refuses another range.
    constexpr std::size_t most = 1 << 18;
    const std::uint64_t page = system_page_bytes();
    auto* const many = static_cast<std::byte*>(
        ::mmap(nullptr, most * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ASSERT_NE(static_cast<void*>(many), MAP_FAILED);
    std::size_t used = 0;
    while (used < most && ::mprotect(many + used * page, page, PROT_READ) == 0) used += 2;
    if (used >= most) {
        ::munmap(many, most * page);
        GTEST_SKIP() << "the system allows more than " << most / 2 << " of them";
    }
    // Room for the range itself, which splits what it lies in, and none for a granule in its midst.
    std::size_t freed = used - 2;
    while (::mprotect(memory_.bytes().data() + page, bytes - 2 * page, PROT_READ) != 0 && freed > 0) {
        ::mprotect(many + freed * page, page, PROT_NONE);
        freed -= 2;
    }
    ::mprotect(memory_.bytes().data() + page, bytes - 2 * page, PROT_READ | PROT_WRITE);
    {
        LazyCopy copy({{.source = memory_.bytes().subspan(page, bytes - 2 * page),
                        .into = image_.bytes().data() + page}});
        words_of(memory_)[bytes / 16] = 1;
        words_of(memory_)[bytes / 32] = 2;
        EXPECT_TRUE(counts_from(words_of(image_).subspan(page / 8, (bytes - 2 * page) / 8), page / 8))
            << "all of it is copied at the first fault that cannot be answered otherwise";
    }
    ::munmap(many, most * page);
    std::fill(memory_.bytes().begin(), memory_.bytes().end(), std::byte{});
}

}  // namespace
}  // namespace plimsoll::checkpoint::detail
