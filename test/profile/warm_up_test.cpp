#include "plimsoll/profile/detail/warm_up.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile::detail {
namespace {

using Values = std::vector<double>;

std::size_t warm_up(const Values& times) { return warm_up_steps(times); }

TEST(WarmUp, IsWhatTakesLongerAtTheBegin) {
    EXPECT_EQ(warm_up({9, 1, 1.01, 0.99, 1, 1.02}), 1U);
    EXPECT_EQ(warm_up({9, 2, 1.5, 0.99, 1, 1.02, 1.01, 1}), 3U);
    EXPECT_EQ(warm_up({1.1, 1, 1.01, 0.99, 1, 1.02}), 0U) << "by a tenth alone";
    EXPECT_EQ(warm_up({1.6, 1, 1.3, 0.7, 1, 1.4}), 0U) << "as much as later ones differ";
}

TEST(WarmUp, LeavesWhatTakesLongLater) {
    EXPECT_EQ(warm_up({1, 9, 1, 1.01, 1, 1}), 0U);
    EXPECT_EQ(warm_up({5, 1, 1, 1, 1, 9, 1, 1, 1}), 1U);
}

TEST(WarmUp, IsAtMostHalfOfTheSteps) {
    EXPECT_EQ(warm_up({9, 8, 7, 1}), 0U) << "which of them are usual is open";
    EXPECT_EQ(warm_up({9, 8, 1, 1}), 2U);
    EXPECT_EQ(warm_up({9, 1, 1}), 0U) << "too few";
    EXPECT_EQ(warm_up({}), 0U);
}

/// A trace with steps of so many seconds each.
std::string trace(const Values& steps, int rank) {
    std::string events;
    double begin = 1.0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        events += fmt::format(
            R"({}{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "ts": {}, "dur": {}}})",
            i == 0 ? "" : ",", i, 1e6 * begin, 1e6 * steps[i]);
        begin += steps[i];
    }
    return fmt::format(R"({{"distributedInfo": {{"rank": {}, "world_size": 2}}, "traceEvents": [{}]}})", rank,
                       events);
}

TEST(WarmUp, IsDecidedForAllProcessesOfARunByTheSlowest) {
    const test::TemporaryFolder folder;
    (void)folder.write("n1/rank0.json", trace({1, 1, 1, 1, 1}, 0));
    (void)folder.write("n1/rank1.json", trace({3, 1, 1, 1, 1}, 1));
    (void)folder.write("n2/rank0.json", trace({2, 2, 2, 2}, 0));
    (void)folder.write("n2/rank1.json", trace({2, 2, 2, 2}, 1));
    const auto experiment = test::read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(test::values_at(experiment, "step", "time", Values{1}), Values(8, 1.0)) << "4 steps, 2 ranks";
    EXPECT_EQ(test::values_at(experiment, "step", "time", Values{2}), Values(8, 2.0));
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes.front().message,
              "left out: 1 first step that took longer than later ones, as warm-up");
}

// A folder may hold several traces of a process: each has its own first steps.
TEST(WarmUp, IsThatOfEachProfile) {
    const test::TemporaryFolder folder;
    (void)folder.write("n1/a.rank0.json", trace({1.25, 1.25, 1.25, 1.25}, 0));
    (void)folder.write("n1/b.rank0.json", trace({9, 1, 1, 1, 1}, 0));
    const auto experiment = test::read_profiles(std::array{folder.path().string()});
    // All runs are alike, and of what is known of them the files state the number of processes.
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    EXPECT_EQ(test::values_at(experiment, "step", "time", Values{2}),
              (Values{1.25, 1.25, 1.25, 1.25, 1, 1, 1, 1}));
}

// One process tells of a step more than the other: it is one of the same two processes all the same.
TEST(WarmUp, LeavesTheNumberOfProcessesAlone) {
    const test::TemporaryFolder folder;
    const auto without_world = [](std::string text) {
        return text.replace(text.find(", \"world_size\": 2"), 17, "");
    };
    (void)folder.write("n8/rank0.json", without_world(trace({1, 1, 1, 1, 1}, 0)));
    (void)folder.write("n8/rank1.json", without_world(trace({1, 1, 1, 1}, 1)));
    (void)folder.write("n8/rank2.json", R"({"distributedInfo": {"rank": 2}, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "f", "tid": 1, "ts": 5, "dur": 1}]})");
    const auto experiment = test::read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"n"}) << "p is the same in all steps";
    EXPECT_EQ(test::values_at(experiment, "step", "time", Values{8}), Values(9, 1.0));
    std::string notes;
    for (const auto& note : experiment.notes) notes += note.message + "\n";
    EXPECT_NE(notes.find("1 of 3 processes are there"), std::string::npos) << notes;
    EXPECT_NE(notes.find("is left out: it has no steps, and other processes of its run have"),
              std::string::npos)
        << notes;
}

}  // namespace
}  // namespace plimsoll::profile::detail
