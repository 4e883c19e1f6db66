#include "plimsoll/measure/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

using test::TemporaryFolder;

/// A program that exists in the test alone: what each run takes is planted.
class Laboratory {
  public:
    /// Called for each run with its parameters ("n=4"), in the order of the runs.
    std::function<double(const std::string& parameters)> time = [](const std::string&) { return 1.0; };
    std::function<std::string(const std::string& parameters)> failure = [](const std::string&) { return ""; };
    std::size_t stop_after = 1'000'000;  ///< runs, then the user presses Ctrl-C

    std::vector<std::string> log;  ///< parameters of each run
    std::vector<launch::Command> commands;

    Result measure(const Subject& subject, const MeasureOptions& options, const std::string& path) {
        const Runner runner = [this](const Task& task, Activity& /*activity*/) {
            if (log.size() >= stop_after) throw Cancelled();
            const auto& environment = task.command.environment;
            const auto found =
                std::ranges::find(environment, "PLIMSOLL_PARAMETERS", [](const auto& e) { return e.first; });
            log.push_back(found->second);
            commands.push_back(task.command);
            Outcome outcome;
            outcome.failure = failure(found->second);
            outcome.exit.wall = Seconds(time(found->second));
            return outcome;
        };
        return measure::measure(subject, options, {.path = path}, runner, silent());
    }
};

Subject subject_of(const std::vector<std::string>& parameters) {
    std::vector<ParameterValues> values;
    for (const std::string& text : parameters) values.push_back(parse_parameter(text));
    return {.command = {"./app", "{n}"},
            .points = design_points(values, Design::grid),
            .metrics = parse_metrics(std::vector<std::string>{"time"})};
}

constexpr MeasureOptions without_warmups(int repetitions) {
    return {.repetitions = repetitions, .warmups = 0};
}

TEST(Measure, RunsEachPointOnceInEachBlock) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    const Result result = laboratory.measure(subject_of({"n=1..7"}), without_warmups(3), folder / "runs");
    ASSERT_EQ(laboratory.log.size(), 21U);
    for (std::size_t block = 0; block < 3; ++block) {
        const auto begin = laboratory.log.begin() + static_cast<std::ptrdiff_t>(7 * block);
        EXPECT_EQ(std::set(begin, begin + 7).size(), 7U);
    }
    EXPECT_NE(laboratory.log[0], "n=1") << "in a random order";
    for (const PointResult& point : result.points)
        EXPECT_EQ(point.values[0], (std::vector<double>{1.0, 1.0, 1.0}));
}

TEST(Measure, KeepsNoWarmUps) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    laboratory.time = [&](const std::string&) { return laboratory.log.size() <= 2 ? 100.0 : 1.0; };
    const Result result =
        laboratory.measure(subject_of({"n=1"}), {.repetitions = 3, .warmups = 2}, folder / "runs");
    EXPECT_EQ(laboratory.log.size(), 5U);
    EXPECT_EQ(result.points[0].values[0], (std::vector<double>{1.0, 1.0, 1.0}));
    EXPECT_EQ(laboratory.commands[0].arguments, (std::vector<std::string>{"./app", "1"}));
}

TEST(Measure, GoesOnWhereItWasInterruptedAsIfItHadNotBeen) {
    const TemporaryFolder folder;
    const Subject subject = subject_of({"n=1..5", "t=1,2"});
    Laboratory whole;
    (void)whole.measure(subject, without_warmups(4), folder / "whole");
    for (const std::size_t stop : {0U, 1U, 13U, 39U, 40U}) {
        SCOPED_TRACE(stop);
        const std::string path = folder / ("runs" + std::to_string(stop));
        Laboratory first;
        first.stop_after = stop;
        EXPECT_EQ(first.measure(subject, without_warmups(4), path).interrupted, stop < 40);
        Laboratory second;
        const Result result = second.measure(subject, without_warmups(4), path);
        EXPECT_FALSE(result.interrupted);
        EXPECT_EQ(result.continued_from, stop);
        std::vector<std::string> both = first.log;
        both.insert(both.end(), second.log.begin(), second.log.end());
        EXPECT_EQ(both, whole.log);
    }
}

TEST(Measure, AddsRepetitionsToAFileThatHasFewer) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    (void)laboratory.measure(subject_of({"n=1,2"}), without_warmups(2), folder / "runs");
    const Result result = laboratory.measure(subject_of({"n=1,2"}), without_warmups(5), folder / "runs");
    EXPECT_EQ(result.runs, 6U);
    EXPECT_EQ(result.points[1].runs, 5U);
}

TEST(Measure, KeepsFailuresAndTriesThemAgain) {
    const TemporaryFolder folder;
    const Subject subject = subject_of({"n=1,2,3"});
    Laboratory broken;
    broken.failure = [](const std::string& parameters) { return parameters == "n=2" ? "exit code 1" : ""; };
    const Result result = broken.measure(subject, without_warmups(4), folder / "runs");
    EXPECT_EQ(result.failures.size(), 2U) << "a point that only fails is given up";
    EXPECT_EQ(result.points[0].runs, 4U) << "and the others are measured";
    EXPECT_EQ(result.points[1].runs, 0U);
    Laboratory mended;
    const Result again = mended.measure(subject, without_warmups(4), folder / "runs");
    EXPECT_EQ(mended.log, (std::vector<std::string>(4, "n=2")));
    EXPECT_EQ(again.points[1].runs, 4U);
    EXPECT_TRUE(again.failures.empty());
}

TEST(Measure, FailsAtOnceWhereTheProgramCannotBeStarted) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    laboratory.failure = [](const std::string&) -> std::string {
        throw Error(ErrorKind::environment, "cannot start", "check PATH");
    };
    EXPECT_THROW(
        static_cast<void>(laboratory.measure(subject_of({"n=1,2"}), without_warmups(2), folder / "runs")),
        Error);
    EXPECT_EQ(laboratory.log.size(), 1U);
    Subject templated = subject_of({"n=1,2"});
    templated.command[0] = "./app_{n}";
    laboratory.log.clear();
    const Result result = laboratory.measure(templated, without_warmups(2), folder / "others");
    EXPECT_EQ(result.failures.size(), 4U) << "another point may have a program";
    EXPECT_EQ(result.failures[0].failure, "cannot start; check PATH");
}

TEST(IntervalRule, StopsOnceThePlantedSpreadAllows) {
    const TemporaryFolder folder;
    // The mean of k runs with a standard deviation of s is known to +- 1.96 s / sqrt(k) or a little more: for
    // 2 % and s = 4 % some 18 runs, for s = 1 % the least number, for s = 30 % more than there may be.
    Laboratory laboratory;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(0.0, 1.0);
    laboratory.time = [&](const std::string& parameters) {
        const double spread = parameters == "n=1" ? 0.01 : parameters == "n=2" ? 0.04 : 0.3;
        return 1.0 + spread * normal(random);
    };
    MeasureOptions options = without_warmups(5);
    options.until_interval.share = 0.02;
    options.interval_of = Center::mean;
    options.max_repetitions = 60;
    const Result result = laboratory.measure(subject_of({"n=1,2,3"}), options, folder / "runs");
    EXPECT_LE(result.points[0].runs, 7U);
    EXPECT_GE(result.points[1].runs, 8U);
    EXPECT_LE(result.points[1].runs, 35U);
    EXPECT_EQ(result.points[2].runs, 60U);
    EXPECT_EQ(result.notes,
              (std::vector<std::string>{"the interval of 1 point is wider than +-2 % after 60 runs"}));
    EXPECT_EQ(laboratory.log.size(), result.points[0].runs + result.points[1].runs + result.points[2].runs);
}

TEST(IntervalRule, NeedsSixRunsForAMedianWithoutSpread) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    MeasureOptions options = without_warmups(2);
    options.until_interval.share = 0.02;
    EXPECT_EQ(laboratory.measure(subject_of({"n=1"}), options, folder / "runs").points[0].runs, 6U);
}

TEST(Measure, NamesAParameterThatTheProgramDoesNotSee) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    const Result result =
        laboratory.measure(subject_of({"n=1", "threads=1,2"}), without_warmups(1), folder / "runs");
    EXPECT_EQ(result.notes,
              (std::vector<std::string>{"the parameter 'threads' stands in no argument, environment or input "
                                        "of the program: only PLIMSOLL_PARAMETERS tells of it"}));
}

TEST(Measure, FillsInTemplatesEverywhere) {
    const TemporaryFolder folder;
    Subject subject = subject_of({"n=8"});
    subject.command = {"./app", "--n={n}", "{{", "{run}/{repetition}"};
    subject.environment = {{"SIZE", "{n}"}};
    subject.input = "in-{n}";
    subject.folder = "dir-{n}";
    Laboratory laboratory;
    (void)laboratory.measure(subject, without_warmups(2), folder / "runs");
    const launch::Command& command = laboratory.commands[1];
    EXPECT_EQ(command.arguments, (std::vector<std::string>{"./app", "--n=8", "{", "2/2"}));
    EXPECT_EQ(command.environment[0], (std::pair<std::string, std::string>{"SIZE", "8"}));
    EXPECT_EQ(command.streams.in.path, "in-8");
    EXPECT_EQ(command.working_folder, "dir-8");
}

TEST(Measure, RefusesWhatItCannotDo) {
    const TemporaryFolder folder;
    Laboratory laboratory;
    const auto refusal = [&](const Subject& subject, const MeasureOptions& options) -> std::string {
        try {
            laboratory.measure(subject, options, folder / "runs");
        } catch (const Error& error) {
            return error.what();
        }
        return "it was measured";
    };
    Subject subject = subject_of({"n=8"});
    EXPECT_EQ(refusal(subject, {.timeout = "60"}), "--timeout: '60' is no time");
    EXPECT_EQ(refusal(subject, {.repetitions = 9, .max_repetitions = 8, .until_interval = {.share = 0.1}}),
              "--max-repetitions 8 is less than --repetitions 9");
    subject.command.clear();
    EXPECT_EQ(refusal(subject, {}), "no program is given");
    subject.command = {"./app", "{m}"};
    EXPECT_EQ(refusal(subject, {}), "there is no value 'm' for the placeholder in '{m}'");
    EXPECT_FALSE(std::filesystem::exists(folder / "runs")) << "and makes no file";
}

TEST(PlanRuns, AreThoseThatAreMade) {
    const TemporaryFolder folder;
    const Subject subject = subject_of({"n=1..4"});
    const MeasureOptions options{.repetitions = 3, .warmups = 1};
    Laboratory laboratory;
    (void)laboratory.measure(subject, options, folder / "runs");
    std::vector<std::string> planned;
    for (const PlannedRun& run : plan_runs(subject, options))
        planned.push_back(describe(subject.points.names, subject.points.points[run.point]));
    EXPECT_EQ(planned, laboratory.log);
}

}  // namespace
}  // namespace plimsoll::measure
