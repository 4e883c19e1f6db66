#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "plimsoll/experiment/transform.hpp"
#include "test/support/experiment_maker.hpp"

namespace plimsoll::experiment {
namespace {

using Maker = test::ExperimentMaker;
using test::find_measurement;
using test::has_note;
using test::mean_of;

TEST(Tree, InclusiveValuesAreOwnValuesPlusThoseOfAllBelow) {
    const Experiment summed = transform(Maker({"p"})
                                            .run("main", "time", {1}, {1})
                                            .run("main->a", "time", {1}, {10})
                                            .run("main->a->b", "time", {1}, {100})
                                            .run("main->c", "time", {1}, {1000})
                                            .run("main->c", "visits", {1}, {3})
                                            .build(),
                                        {.tree = TreeAggregate::inclusive});
    EXPECT_EQ(mean_of(summed, "main", 1), 1111.0);
    EXPECT_EQ(mean_of(summed, "main->a", 1), 110.0);
    EXPECT_EQ(mean_of(summed, "main->a->b", 1), 100.0);
    EXPECT_EQ(mean_of(summed, "main->c", 1), 1000.0);
    EXPECT_EQ(mean_of(summed, "main", 1, "visits"), 3.0);
    EXPECT_EQ(find_measurement(summed, "main->a", 1, "visits"), nullptr);
    EXPECT_TRUE(summed.notes.empty());
}

TEST(Tree, AddsRepetitionByRepetitionAndLocationByLocation) {
    const Experiment summed = transform(Maker({"p"})
                                            .run("m", "time", {2}, {1, 2})
                                            .run("m", "time", {2}, {3, 4})
                                            .run("m->a", "time", {2}, {10, 20})
                                            .run("m->a", "time", {2}, {30, 40})
                                            .build(),
                                        {.tree = TreeAggregate::inclusive});
    const Series& series = summed.series[0];
    EXPECT_EQ(series.values, (std::vector<double>{11, 22, 33, 44}));
    EXPECT_EQ(series.locations, (std::vector<std::uint32_t>{2, 2}));
    EXPECT_DOUBLE_EQ(series.measurements[0].summary.deviation,
                     std::sqrt(151.25));  // of 11, 22, 33, 44 about 27.5
}

TEST(Tree, AddsSummariesWhereRepetitionsDiffer) {
    const Experiment summed =
        transform(Maker({"p"})
                      .run("m", "time", {2}, {1})
                      .run("m", "time", {2}, {3})
                      .run("m", "time", {2}, {8})
                      .summary("m->a", "time", {2},
                               {.mean = 10, .median = 9, .minimum = 5, .maximum = 20, .deviation = 3})
                      .build(),
                  {.tree = TreeAggregate::inclusive});
    const Measurement& sum = *find_measurement(summed, "m", 2);
    EXPECT_EQ(sum.value_count, 0U);
    EXPECT_EQ(sum.repetitions, 3U);
    EXPECT_EQ(sum.summary.mean, 14.0);
    EXPECT_EQ(sum.summary.median, 12.0);
    EXPECT_EQ(sum.summary.minimum, 6.0);
    EXPECT_EQ(sum.summary.maximum, 28.0);
    EXPECT_DOUBLE_EQ(sum.summary.deviation, std::sqrt(9.0 + 26.0 / 3.0));
    EXPECT_TRUE(has_note(summed, "the sum of summaries"));
}

TEST(Tree, MakesRegionsOfInnerNodes) {
    const Experiment summed =
        transform(Maker({"p"}).run("x->y->f", "time", {1}, {1}).run("x->y->g", "time", {1}, {2}).build(),
                  {.tree = TreeAggregate::inclusive});
    EXPECT_EQ(mean_of(summed, "x", 1), 3.0);
    EXPECT_EQ(mean_of(summed, "x->y", 1), 3.0);
    EXPECT_EQ(summed.regions.size(), 4U);
    EXPECT_EQ(summed.regions[0].path, "x->y->f");
}

TEST(Tree, SumsWhatIsThereAndSaysWhatIsNot) {
    const Experiment summed = transform(Maker({"p"})
                                            .run("m", "time", {1}, {1})
                                            .run("m", "time", {2}, {2})
                                            .run("m->a", "time", {2}, {10})
                                            .run("m->b", "time", {4}, {7})
                                            .build(),
                                        {.tree = TreeAggregate::inclusive});
    EXPECT_EQ(mean_of(summed, "m", 1), 1.0);
    EXPECT_EQ(mean_of(summed, "m", 2), 12.0);
    EXPECT_EQ(mean_of(summed, "m", 4), 7.0);
    EXPECT_TRUE(has_note(summed, "lacks a region that was not measured at its point"));
    EXPECT_EQ(summed.notes[0].count, 5U);  // 9 cells of region and point, 4 of them measured
}

// On a random tree the sum at each node is that of a plain search for all paths that begin with its own.
TEST(Tree, AgreesWithAPlainSearchOnRandomTrees) {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        SCOPED_TRACE(round);
        Maker maker({"p"});
        std::vector<std::string> paths;
        std::vector<double> values;
        for (int i = 0; i < 30; ++i) {
            std::string path(1, static_cast<char>('a' + random() % 2));
            for (auto depth = random() % 4; depth > 0; --depth)
                path += "->" + std::string(1, static_cast<char>('a' + random() % 3));
            if (std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
            paths.push_back(path);
            values.push_back(static_cast<double>(random() % 1000));
            maker.run(path, "time", {1}, {values.back()});
        }
        const Experiment summed = transform(maker.build(), {.tree = TreeAggregate::inclusive});
        for (const Series& series : summed.series) {
            const std::string& path = summed.region(series).path;
            double expected = 0.0;
            for (std::size_t i = 0; i < paths.size(); ++i) {
                if (paths[i] == path || paths[i].starts_with(path + "->")) expected += values[i];
            }
            EXPECT_EQ(series.values[0], expected) << path;
        }
    }
}

TEST(Tree, SaysThatTheSumsCoverTheChosenRegionsAlone) {
    const Experiment experiment =
        Maker({"p"}).run("m", "time", {1}, {1}).run("m->a", "time", {1}, {2}).build();
    const Experiment summed = transform(experiment, {.tree = TreeAggregate::inclusive, .regions = {"m"}});
    EXPECT_EQ(mean_of(summed, "m", 1), 1.0);
    EXPECT_TRUE(has_note(summed, "inclusive values cover the chosen regions alone"));
}

TEST(Tree, RefusesATreeWhoseInnerNodesWouldFillTheMemory) {
    std::string path = "f";
    for (int i = 0; i < 7000; ++i) path += "->f";
    const Experiment experiment = Maker({"p"}).run(path, "time", {1}, {1}).build();
    try {
        (void)transform(experiment, {.tree = TreeAggregate::inclusive});
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        EXPECT_EQ(error.hint(), "leave --tree out, or choose regions with --region");
    }
}

}  // namespace
}  // namespace plimsoll::experiment
