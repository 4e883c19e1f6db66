#include "plimsoll/core/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace plimsoll {
namespace {

/// Keeps the last count, and notices calls from other threads than that of the test.
class Watcher final : public Progress {
  public:
    void begin(std::string_view /*what*/, std::int64_t /*total*/) override {}
    void advance(std::int64_t done) override {
        on_one_thread = on_one_thread && std::this_thread::get_id() == home_;
        rises = rises && done >= last;
        last = done;
    }
    void end() override {}

    bool on_one_thread = true;
    bool rises = true;
    std::int64_t last = 0;

  private:
    std::thread::id home_ = std::this_thread::get_id();
};

class ParallelFor : public testing::TestWithParam<int> {};

TEST_P(ParallelFor, VisitsEachIndexOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 64U, 1000U, 100'003U}) {
        SCOPED_TRACE(count);
        Watcher watcher;
        Activity activity(watcher, "counting", static_cast<std::int64_t>(count));
        std::vector<int> visits(count, 0);
        parallel_for(count, GetParam(), activity, [&](std::size_t begin, std::size_t end) {
            ASSERT_LT(begin, end);
            for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), static_cast<std::ptrdiff_t>(count));
        EXPECT_TRUE(watcher.on_one_thread);
        EXPECT_TRUE(watcher.rises);
        EXPECT_LE(watcher.last, static_cast<std::int64_t>(count));
    }
}

TEST_P(ParallelFor, ThrowsWhatABodyThrowsOnceAllHaveEnded) {
    Activity activity(silent(), "failing", 1000);
    std::atomic<int> inside = 0;
    const auto body = [&](std::size_t begin, std::size_t end) {
        ++inside;
        const bool fails = begin <= 500 && 500 < end;
        --inside;
        if (fails) throw std::runtime_error("at 500");
    };
    EXPECT_THROW(parallel_for(1000, GetParam(), activity, body), std::runtime_error);
    EXPECT_EQ(inside, 0);
}

TEST_P(ParallelFor, EndsSoonAfterTheUserAskedToStop) {
    Watcher watcher;
    Activity activity(watcher, "stopping", 1'000'000);
    std::atomic<std::size_t> visited = 0;
    const auto body = [&](std::size_t begin, std::size_t end) {
        visited += end - begin;
        if (visited > 1000) watcher.request_stop();
        std::this_thread::yield();
    };
    EXPECT_THROW(parallel_for(1'000'000, GetParam(), activity, body), Cancelled);
    EXPECT_LT(visited, 1'000'000U);
}
INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, testing::Values(1, 2, 3, 16));

TEST(ParallelForWithoutThreads, GoesOnWithThoseThatTheSystemGives) {
    pthread_attr_t usual;
    ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
    pthread_attr_t greedy = usual;
    ASSERT_EQ(pthread_attr_setstacksize(&greedy, std::size_t{1} << 50U), 0);  // more than there are addresses
    ASSERT_EQ(pthread_setattr_default_np(&greedy), 0);
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
    Activity activity(silent(), "counting", 1000);
    std::atomic<std::size_t> visited = 0;
    parallel_for(1000, 4, activity, [&](std::size_t begin, std::size_t end) { visited += end - begin; });
    EXPECT_EQ(visited, 1000U);
    ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
    pthread_attr_destroy(&usual);
}

TEST(ThreadCount, IsTheNumberAskedForElseOneForEachCore) {
    EXPECT_EQ(thread_count(3), 3);
    EXPECT_GE(thread_count(0), 1);
    EXPECT_EQ(thread_count(0), thread_count(-1));
}

}  // namespace
}  // namespace plimsoll
