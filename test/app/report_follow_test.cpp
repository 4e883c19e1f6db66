#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/report/follow.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::app {
namespace {

using namespace std::chrono_literals;

void append(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

/// The next news, or nothing where none come in a time that is long for a machine under load.
std::optional<report::Renewal> next(Follower& follower) {
    for (int i = 0; i < 1000; ++i) {
        if (auto news = follower.take()) return news;
        std::this_thread::sleep_for(10ms);
    }
    return std::nullopt;
}

TEST(StateOf, TellsChangesOfFilesInFoldersAndLeavesHiddenOnesAside) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "runs/.cache");
    append(folder / "runs/a", "1");
    const std::string before = state_of({folder.path().string()});
    EXPECT_EQ(state_of({folder.path().string()}), before);
    append(folder / "runs/.cache/b", "1");
    append(folder / "runs/.c", "1");
    EXPECT_EQ(state_of({folder.path().string()}), before);
    append(folder / "runs/a", "2");
    const std::string longer = state_of({folder.path().string()});
    EXPECT_NE(longer, before);
    append(folder / "runs/d", "");
    EXPECT_NE(state_of({folder.path().string()}), longer);
    EXPECT_EQ(state_of({folder / "missing"}), "");
}

TEST(CanBeReadAgain, HoldsForFilesAndFoldersAlone) {
    const test::TemporaryFolder folder;
    append(folder / "a", "1");
    EXPECT_TRUE(can_be_read_again({folder / "a", folder.path().string()}));
    EXPECT_FALSE(can_be_read_again({folder / "a", "-"}));
    EXPECT_FALSE(can_be_read_again({folder / "missing"}));
}

TEST(Follower, MakesAPageAnewWhereInputsChangeAndElseNot) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "runs";
    append(file, "1");
    std::atomic<int> made = 0;
    Follower follower({file}, state_of({file}), nullptr, 10ms, [&](const std::string& version, Progress&) {
        ++made;
        return "page " + version;
    });
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(made, 0);
    EXPECT_FALSE(follower.take());
    append(file, "2");
    const auto first = next(follower);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->version, "2");
    EXPECT_EQ(*first->page, "page 2");
    append(file, "3");
    const auto second = next(follower);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->version, "3");
}

TEST(Follower, TellsWhyThereIsNoPageAndGoesOn) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "runs";
    append(file, "1");
    std::atomic<bool> fails = true;
    Follower follower(
        {file}, state_of({file}), nullptr, 10ms, [&](const std::string&, Progress&) -> std::string {
            if (fails)
                throw Error(ErrorKind::input, Place{.file = "runs", .line = 7}, "is \"cut\"", "mend it");
            return "page";
        });
    append(file, "2");
    const auto bad = next(follower);
    ASSERT_TRUE(bad);
    EXPECT_FALSE(bad->page);
    EXPECT_EQ(bad->trouble, R"("runs:7: is \"cut\"; mend it")");
    fails = false;
    append(file, "3");
    const auto good = next(follower);
    ASSERT_TRUE(good);
    EXPECT_TRUE(good->trouble.empty());
    EXPECT_EQ(*good->page, "page");
}

TEST(Follower, ShowsInputsThatNeverRest) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "runs";
    append(file, "1");
    Follower follower({file}, state_of({file}), nullptr, 20ms,
                      [](const std::string& version, Progress&) { return version; });
    std::jthread campaign([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            append(file, "more");
            std::this_thread::sleep_for(2ms);
        }
    });
    EXPECT_TRUE(next(follower));
}

TEST(Follower, GivesNoNewsOfAPageThatDiffersByItsVersionAlone) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "runs";
    append(file, "1");
    const auto page = [](const std::string& version, const std::string& text) {
        return "<meta name=\"plimsoll-version\" content=\"" + version + "\">" + text;
    };
    std::mutex mutex;
    std::string text = "same";
    std::atomic<int> made = 0;
    const auto change = [&](const std::string& to) {
        const int before = made;
        {
            const std::lock_guard lock(mutex);
            text = to;
        }
        append(file, "more");
        for (int i = 0; i < 1000 && made == before; ++i) std::this_thread::sleep_for(10ms);
        EXPECT_GT(made, before);
    };
    Follower follower({file}, state_of({file}), std::make_shared<const std::string>(page("1", "same")), 10ms,
                      [&](const std::string& version, Progress&) {
                          const std::lock_guard lock(mutex);
                          ++made;
                          if (text == "bad") throw Error(ErrorKind::input, "is cut", "mend it");
                          return page(version, text);
                      });
    change("same");
    std::this_thread::sleep_for(100ms);
    EXPECT_FALSE(follower.take());
    change("other");
    const auto other = next(follower);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->version, "2");  // what nobody was told of has no number
    change("bad");
    const auto bad = next(follower);
    ASSERT_TRUE(bad);
    EXPECT_FALSE(bad->trouble.empty());
    change("other");  // ends the trouble, and so is news
    const auto again = next(follower);
    ASSERT_TRUE(again);
    ASSERT_TRUE(again->page);
    EXPECT_EQ(*again->page, page("3", "other"));
}

TEST(Follower, RestsTwiceAsLongAsAPageTakes) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "runs";
    append(file, "1");
    using Clock = std::chrono::steady_clock;
    std::mutex mutex;
    std::vector<Clock::time_point> times;  // begin and end of each
    Follower follower({file}, state_of({file}), nullptr, 10ms, [&](const std::string& version, Progress&) {
        const auto begin = Clock::now();
        std::this_thread::sleep_for(100ms);
        const std::lock_guard lock(mutex);
        times.insert(times.end(), {begin, Clock::now()});
        return version;
    });
    append(file, "2");
    ASSERT_TRUE(next(follower));
    append(file, "3");
    ASSERT_TRUE(next(follower));
    const std::lock_guard lock(mutex);
    ASSERT_GE(times.size(), 4U);
    EXPECT_GE(times[2] - times[1], 200ms);
}

TEST(Follower, StopsTheWorkThatIsUnderWay) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "runs";
    append(file, "1");
    std::atomic<bool> began = false;
    const auto start = std::chrono::steady_clock::now();
    {
        Follower follower({file}, state_of({file}), nullptr, 10ms,
                          [&](const std::string&, Progress& progress) {
                              Activity activity(progress, "fitting", 0);
                              began = true;
                              for (int i = 0; i < 100000; ++i) {  // minutes, where nobody asks for an end
                                  activity.step();
                                  std::this_thread::sleep_for(10ms);
                              }
                              return std::string();
                          });
        append(file, "2");
        while (!began) std::this_thread::sleep_for(5ms);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

}  // namespace
}  // namespace plimsoll::app
