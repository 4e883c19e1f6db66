#include "plimsoll/measure/metric.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure {
namespace {

std::vector<MetricChoice> parsed(const std::vector<std::string>& lists) { return parse_metrics(lists); }

std::string refusal(const std::string& list) {
    try {
        (void)parsed({list});
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return std::string(error.what()) + " | " + error.hint();
    }
    return "it was understood";
}

TEST(Metrics, AreAList) {
    const auto metrics = parsed({"time,rss", "stdout:GFLOP/s as rate,file:out-{n}.jsonl"});
    ASSERT_EQ(metrics.size(), 4U);
    EXPECT_EQ(metrics[0].source, Source::wall);
    EXPECT_EQ(metrics[0].unit, "s");
    EXPECT_EQ(metrics[1].unit, "B");
    EXPECT_EQ(metrics[2].name, "rate");
    EXPECT_EQ(metrics[2].label, "GFLOP/s");
    EXPECT_EQ(metrics[3].path, "out-{n}.jsonl");
}

TEST(Metrics, MayHaveCommasInARegularExpression) {
    const auto metrics = parsed({R"(stderr:/a{1,2}\/b,([0-9]+)/ as rate,cpu)"});
    ASSERT_EQ(metrics.size(), 2U);
    EXPECT_EQ(metrics[0].expression, R"(a{1,2}\/b,([0-9]+))");
    EXPECT_EQ(metrics[0].source, Source::error_output);
    EXPECT_EQ(metrics[1].name, "cpu");
}

TEST(Metrics, OfOutputAreCalledAsTheirLabel) { EXPECT_EQ(parsed({"stdout:step time"})[0].name, "step time"); }

TEST(Metrics, MayBeRenamedAndHaveAUnit) {
    const auto metrics = parsed({"stdout:elapsed as solve [s],cpu as processor,stdout:a[1]"});
    EXPECT_EQ(metrics[0].name, "solve");
    EXPECT_EQ(metrics[0].unit, "s");
    EXPECT_EQ(metrics[1].name, "processor");
    EXPECT_EQ(metrics[1].unit, "s");
    EXPECT_EQ(metrics[2].name, "a[1]");
    EXPECT_EQ(refusal("time as t [ms]"), "'time' has the unit 's' | leave out [ms]");
}

TEST(Metrics, SayWhatIsWrong) {
    EXPECT_EQ(refusal("tme"), "there is no metric 'tme' | did you mean 'time'?");
    EXPECT_EQ(refusal("time,time"),
              "the metric 'time' is given twice | name one of them otherwise: 'time as NAME'");
    EXPECT_EQ(refusal("stdout:"),
              "nothing stands behind 'stdout:' | name the text beside the number: stdout:GFLOP/s");
    EXPECT_EQ(refusal("stdot:x").substr(0, 30), "there is no metric 'stdot:x' |");
    EXPECT_EQ(refusal("stdout:/abc/"),
              "the regular expression in 'stdout:/abc/' has not one group | put the number into one "
              "group: stdout:/took ([0-9.]+) s/");
    EXPECT_EQ(refusal("stdout:/(a/").substr(0, 55),
              "the regular expression in 'stdout:/(a/' is not understo");
    EXPECT_EQ(refusal("file:a as b"),
              "'file:a as b' cannot be renamed | leave out 'as': a file names its metrics itself");
}

TEST(FindBeside, FindsTheNumberBehindALabel) {
    EXPECT_EQ(find_beside("GFLOP/s: 12.5", "GFLOP/s"), 12.5);
    EXPECT_EQ(find_beside("GFLOP/s = -1.5e3 x", "GFLOP/s"), -1500.0);
    EXPECT_EQ(find_beside("GFLOP/s\t12.", "GFLOP/s"), 12.0);
    EXPECT_EQ(find_beside("time: 3s", "time"), 3.0) << "a unit may stand behind it";
    EXPECT_EQ(find_beside("time: 3e", "time"), 3.0);
}

TEST(FindBeside, FindsTheNumberBeforeALabel) {
    EXPECT_EQ(find_beside("reached 12.5 GFLOP/s in all", "GFLOP/s"), 12.5);
    EXPECT_EQ(find_beside("-2e-3 GFLOP/s", "GFLOP/s"), -2e-3);
    EXPECT_EQ(find_beside("1 MB/s, 7 GFLOP/s", "GFLOP/s"), 7.0);
}

TEST(FindBeside, TakesTheLastOfSeveral) {
    EXPECT_EQ(find_beside("rate: 1\nrate: 2\nrate: none\n", "rate"), 2.0);
}

TEST(FindBeside, FindsNoPartOfAWord) {
    EXPECT_EQ(find_beside("runtime: 5", "time"), std::nullopt);
    EXPECT_EQ(find_beside("times: 5", "time"), std::nullopt);
    EXPECT_EQ(find_beside("run time: 5", "time"), 5.0);
}

TEST(FindBeside, DoesNotCrossLines) {
    EXPECT_EQ(find_beside("rate\n5", "rate"), std::nullopt);
    EXPECT_EQ(find_beside("5\nrate", "rate"), std::nullopt);
    EXPECT_EQ(find_beside("", "rate"), std::nullopt);
}

TEST(FindBy, TakesTheGroupOfTheLastMatch) {
    EXPECT_EQ(find_by("took 1.5 s\ntook 2.5 s, took 3.5 s\n", "took ([0-9.]+) s"), 3.5);
    EXPECT_EQ(find_by("took long", "took ([0-9.]+) s"), std::nullopt);
    EXPECT_EQ(find_by("value <1e3>", "<(.*)>"), 1000.0);
}

TEST(FindBy, EndsOnLinesOfAnyLength) {
    EXPECT_EQ(find_by(std::string(10'000'000, 'x') + "\nat 5", "at ([0-9]+)"), 5.0);
}

}  // namespace
}  // namespace plimsoll::measure
