#include "plimsoll/experiment/transform.hpp"

#include <gtest/gtest.h>

#include "test/support/experiment_maker.hpp"

namespace plimsoll::experiment {
namespace {

using Maker = test::ExperimentMaker;
using test::has_note;
using test::mean_of;

std::string message_of(const Experiment& experiment, const TransformOptions& options) {
    try {
        (void)transform(experiment, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_FALSE(error.hint().empty());
        return std::string(error.what()) + " | " + error.hint();
    }
    return "";
}

/// Two runs on four processes at p=4, one of them idle, and on two at p=2.
Experiment per_process() {
    return Maker({"p"})
        .run("main", "time", {2}, {3, 5})
        .run("main", "time", {4}, {1, 2, 0, 3})
        .run("main", "time", {4}, {2, 2, 0, 4})
        .build();
}

TEST(Scaling, StrongAddsUpTheProcessesOfEachRun) {
    const Experiment scaled = transform(per_process(), {.scaling = Scaling::strong});
    EXPECT_EQ(scaled.scaling, Scaling::strong);
    EXPECT_EQ(mean_of(scaled, "main", 2), 8.0);
    const Series& series = scaled.series[0];
    EXPECT_EQ(series.values, (std::vector<double>{8, 6, 8}));
    EXPECT_TRUE(series.locations.empty());
    EXPECT_EQ(series.measurements[1].repetitions, 2U);
}

TEST(Scaling, StrongLeavesTheValueOfASingleProcessAsItIs) {
    const Experiment scaled = transform(Maker({"n"}).run("main", "time", {7}, std::vector<double>{3}).build(),
                                        {.scaling = Scaling::strong});
    EXPECT_EQ(scaled.series[0].values, std::vector<double>{3});
}

TEST(Scaling, WeakThreadedLeavesOutIdleThreads) {
    const Experiment scaled = transform(per_process(), {.scaling = Scaling::weak_threaded});
    EXPECT_EQ(scaled.series[0].values, (std::vector<double>{3, 5, 1, 2, 3, 2, 2, 4}));
    EXPECT_EQ(scaled.series[0].locations, (std::vector<std::uint32_t>{2, 3, 3}));
    EXPECT_EQ(mean_of(scaled, "main", 4), 14.0 / 6.0);
}

TEST(Scaling, WeakThreadedKeepsARunInWhichAllAreZero) {
    const Experiment experiment =
        Maker({"p"}).run("a", "time", {1}, {0, 0}).run("a", "time", {1}, {0, 4}).build();
    const Experiment scaled = transform(experiment, {.scaling = Scaling::weak_threaded});
    EXPECT_EQ(scaled.series[0].values, (std::vector<double>{0, 0, 4}));
}

TEST(Scaling, WeakChangesNothing) {
    const Experiment before = per_process();
    const Experiment after = transform(before, {});
    EXPECT_EQ(after.series[0].values, before.series[0].values);
    EXPECT_EQ(after.series[0].locations, before.series[0].locations);
    EXPECT_TRUE(after.notes.empty());
}

TEST(Scaling, StrongMultipliesSingleValuesByTheProcesses) {
    const Experiment experiment =
        Maker({"n", "ranks"})
            .run("main", "time", {7, 2}, 3)
            .run("main", "time", {7, 2}, 5)
            .summary("f", "time", {7, 2},
                     {.mean = 1, .median = 2, .minimum = 0, .maximum = 5, .deviation = 0.5})
            .build();
    const Experiment scaled = transform(experiment, {.scaling = Scaling::strong});
    EXPECT_EQ(scaled.series[0].values, (std::vector<double>{6, 10}));
    EXPECT_EQ(mean_of(scaled, "main", 7), 8.0);
    const numeric::Summary& summary = scaled.series[1].measurements[0].summary;
    EXPECT_EQ(summary.mean, 2.0);
    EXPECT_EQ(summary.median, 4.0);
    EXPECT_EQ(summary.maximum, 10.0);
    EXPECT_EQ(summary.deviation, 1.0);
    const Experiment by_n = transform(experiment, {.scaling = Scaling::strong, .processes_parameter = "n"});
    EXPECT_EQ(by_n.series[0].values, (std::vector<double>{21, 35}));
}

TEST(Scaling, StrongMultipliesTimesAlone) {
    const Experiment scaled = transform(Maker({"p"})
                                            .run("main", "time", {4}, 3)
                                            .run("main", "energy", {4}, 100)
                                            .run("main", "visits", {4}, 7)
                                            .build(),
                                        {.scaling = Scaling::strong});
    EXPECT_EQ(mean_of(scaled, "main", 4), 12.0);
    EXPECT_EQ(mean_of(scaled, "main", 4, "energy"), 100.0);
    EXPECT_EQ(mean_of(scaled, "main", 4, "visits"), 7.0);
    EXPECT_TRUE(has_note(scaled, "(p*t), not the time that passes; this concerns 'time'"));
    EXPECT_TRUE(has_note(scaled, "leaves 'energy', 'visits' as measured"));
    const Experiment no_time =
        transform(Maker({"n", "m"}).run("f", "bytes", {1, 2}, 3).build(), {.scaling = Scaling::strong});
    EXPECT_FALSE(has_note(no_time, "p*t")) << "and nobody is asked for the processes";
}

TEST(Scaling, StrongAddsUpEveryMetricOfProcessesAndSaysSo) {
    const Experiment scaled =
        transform(Maker({"p"}).run("main", "time", {2}, {3, 5}).run("main", "visits", {2}, {1, 2}).build(),
                  {.scaling = Scaling::strong});
    EXPECT_EQ(mean_of(scaled, "main", 2, "visits"), 3.0);
    EXPECT_TRUE(has_note(scaled, "the sum over processes and threads"));
    EXPECT_FALSE(has_note(scaled, "p*t"));
}

TEST(Scaling, AsksForTheProcessesParameterWhereItIsNotClear) {
    const Experiment experiment = Maker({"n", "m"}).run("main", "time", {7, 2}, 3).build();
    EXPECT_EQ(message_of(experiment, {.scaling = Scaling::strong}),
              "strong scaling needs the number of processes, and it is not clear which of n, m counts them | "
              "name the parameter with --processes-parameter");
    EXPECT_EQ(message_of(experiment, {.scaling = Scaling::strong, .processes_parameter = "nn"}),
              "there is no parameter 'nn' | did you mean 'n'?");
    const Experiment zero = Maker({"p"}).run("main", "time", {0}, 3).build();
    EXPECT_EQ(message_of(zero, {.scaling = Scaling::strong}),
              "parameter 'p' is 0 at a point and cannot count processes | name another one with "
              "--processes-parameter");
}

TEST(Scaling, DoesNotConvertTwice) {
    const Experiment strong = transform(per_process(), {.scaling = Scaling::strong});
    EXPECT_EQ(transform(strong, {.scaling = Scaling::strong}).series[0].values, strong.series[0].values);
    EXPECT_EQ(transform(strong, {}).scaling, Scaling::strong);
    Experiment read = strong;  // from a file that states its scaling, but not the notes
    read.notes.clear();
    EXPECT_TRUE(has_note(transform(read, {}), "were converted to strong scaling before"));
    EXPECT_EQ(
        message_of(strong, {.scaling = Scaling::weak_threaded}),
        "the values were converted to strong scaling before, and cannot be converted to weak-threaded | "
        "use --scaling strong, or read the original measurements");
}

TEST(Scaling, SaysWhereWeakThreadedDoesNothing) {
    const Experiment experiment = Maker({"p"}).run("main", "time", {1}, 0).build();
    const Experiment scaled = transform(experiment, {.scaling = Scaling::weak_threaded});
    EXPECT_TRUE(has_note(scaled, "weak-threaded does nothing here"));
    EXPECT_EQ(scaled.series[0].values, std::vector<double>{0.0});
}

TEST(Ranks, AreJoinedToOneValueForEachRun) {
    EXPECT_EQ(transform(per_process(), {.ranks = RankAggregate::sum}).series[0].values,
              (std::vector<double>{8, 6, 8}));
    EXPECT_EQ(transform(per_process(), {.ranks = RankAggregate::mean}).series[0].values,
              (std::vector<double>{4, 1.5, 2}));
    EXPECT_EQ(transform(per_process(), {.ranks = RankAggregate::maximum}).series[0].values,
              (std::vector<double>{5, 3, 4}));
    const Experiment single = Maker({"p"}).run("main", "time", {1}, 3).build();
    EXPECT_TRUE(has_note(transform(single, {.ranks = RankAggregate::sum}),
                         "--ranks does nothing here: there are no values of single processes"));
    EXPECT_TRUE(has_note(transform(per_process(), {.scaling = Scaling::strong, .ranks = RankAggregate::sum}),
                         "--ranks does nothing here: --scaling strong has added up"));
}

TEST(Ranks, AreJoinedAfterIdleThreadsAreLeftOut) {
    const Experiment joined =
        transform(per_process(), {.scaling = Scaling::weak_threaded, .ranks = RankAggregate::mean});
    EXPECT_EQ(joined.series[0].values, (std::vector<double>{4, 2, 8.0 / 3.0}));
}

TEST(Ranks, AreStillThereWhereOneThreadOfEachRunWasAtWork) {
    const Experiment experiment = Maker({"p"}).run("main", "time", {2}, std::vector<double>{0, 5}).build();
    const Experiment scaled = transform(experiment, {.scaling = Scaling::weak_threaded});
    EXPECT_EQ(scaled.series[0].locations, std::vector<std::uint32_t>{1});
    const Experiment joined =
        transform(experiment, {.scaling = Scaling::weak_threaded, .ranks = RankAggregate::sum});
    EXPECT_TRUE(joined.series[0].locations.empty());
    EXPECT_TRUE(joined.notes.empty());
}

TEST(Filter, KeepsRegionsThatFitOneOfThePatterns) {
    const Experiment experiment = Maker({"p"})
                                      .run("main", "time", {1}, 1)
                                      .run("main->a", "time", {2}, 2)
                                      .run("main->b", "visits", {4}, 3)
                                      .run("other", "time", {8}, 4)
                                      .build();
    const Experiment kept = transform(experiment, {.regions = {"main->*", "o?her"}});
    ASSERT_EQ(kept.regions.size(), 3U);
    EXPECT_EQ(mean_of(kept, "main->a", 2), 2.0);
    EXPECT_EQ(mean_of(kept, "main->b", 4, "visits"), 3.0);
    EXPECT_EQ(mean_of(kept, "other", 8), 4.0);
    EXPECT_EQ(kept.point_count(), 4U) << "a region measured at 1 of 4 points must not look complete";
    const Experiment one = transform(experiment, {.regions = {"*"}, .metrics = {"vis*"}});
    EXPECT_EQ(one.regions.size(), 1U);
    EXPECT_EQ(one.metrics.size(), 1U);
    EXPECT_EQ(describe_point(one, one.series.front().measurements.front().point), "p=4");
    const Experiment some = transform(experiment, {.region_expression = "->[ab]$"});
    EXPECT_EQ(some.regions.size(), 2U);
}

TEST(Filter, NotesAPatternThatFitsNothing) {
    const Experiment experiment = Maker({"p"}).run("main", "time", {1}, 1).build();
    EXPECT_TRUE(has_note(transform(experiment, {.regions = {"main", "x"}}), "no region fits 'x'"));
}

TEST(Filter, RefusesAChoiceOfNothing) {
    const Experiment experiment =
        Maker({"p"}).run("main", "time", {1}, 1).run("solve", "visits", {1}, 1).build();
    EXPECT_EQ(message_of(experiment, {.regions = {"slove"}}),
              "no region fits 'slove' | did you mean 'solve'?");
    EXPECT_EQ(message_of(experiment, {.regions = {"xyz"}}), "no region fits 'xyz' | choose from main, solve");
    EXPECT_EQ(message_of(experiment, {.metrics = {"tme", "energy"}}),
              "no metric fits 'tme', 'energy' | did you mean 'time'?");
    EXPECT_EQ(message_of(experiment, {.region_expression = "(("}).substr(0, 34),
              "'((' is not a regular expression |");
    EXPECT_EQ(message_of(experiment, {.region_expression = "^x"}),
              "no region matches '^x' | use a part of a path such as 'main'");
    const Experiment deep = Maker({"p"}).run(std::string(10'000, 'f'), "time", {1}, {1}).build();
    EXPECT_EQ(message_of(deep, {.region_expression = "f"}),
              "a path of 10000 bytes is too long for a regular expression | choose regions with --region");
    EXPECT_EQ(message_of(experiment, {.regions = {"main"}, .metrics = {"visits"}}),
              "the chosen metrics were not measured in the chosen regions | choose with --region or --metric "
              "alone");
}

TEST(FittingRegions, AreThoseOfAnyPattern) {
    const Experiment experiment = Maker({"p"})
                                      .run("main", "time", {1}, 1.0)
                                      .run("main->solve", "time", {1}, 1.0)
                                      .run("main->halo", "time", {1}, 1.0)
                                      .build();
    const auto fits = [&](const std::vector<std::string>& patterns) {
        return fitting_regions(experiment, patterns, "explain");
    };
    EXPECT_EQ(fits({"main->*"}), (std::vector<bool>{false, true, true}));
    EXPECT_EQ(fits({"main", "*halo"}), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(fits({}), (std::vector<bool>{false, false, false}));
    try {
        (void)fits({"main", "main->solv"});
        ADD_FAILURE() << "each pattern is to fit some region";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_STREQ(error.what(), "no region fits 'main->solv'");
        EXPECT_EQ(error.hint(), "did you mean 'main->solve'?");
    }
}

TEST(ProcessesParameter, IsTheOneNamedElseTheOnlyOneElseTheOneWithAUsualName) {
    const auto axis = [](std::vector<std::string> names, const std::string& chosen = "") {
        Experiment experiment;
        for (const std::string& name : names) experiment.parameters.push_back({.name = name, .unit = {}});
        return processes_parameter(experiment, chosen);
    };
    EXPECT_EQ(axis({"n", "p"}, "n"), 0U);
    EXPECT_EQ(axis({"size"}), 0U);
    EXPECT_EQ(axis({"n", "P"}), 1U);
    EXPECT_EQ(axis({"nodes", "n"}), 0U);
    EXPECT_EQ(axis({"nodes", "ranks"}), 1U);
    EXPECT_EQ(axis({"a", "b"}), std::nullopt);
    EXPECT_EQ(axis({"p", "ranks"}), std::nullopt);
    EXPECT_EQ(axis({"threads", "nodes"}), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::experiment
