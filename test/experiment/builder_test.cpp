#include "plimsoll/experiment/builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace plimsoll::experiment {

namespace {

using Row = std::vector<double>;
using Names = std::vector<std::string>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Place line(std::uint64_t number) { return {.file = "file", .line = number}; }

/// A builder with the parameters p and n.
ExperimentBuilder builder_of_two() {
    ExperimentBuilder builder;
    builder.set_parameters(Names{"p", "n"}, line(1));
    return builder;
}

/// Adds one value for each repetition of region `r` and metric `m`.
void add(ExperimentBuilder& builder, const Row& coordinates, const Row& values) {
    const SeriesId series = builder.series(builder.region("r"), builder.metric("m"));
    builder.add_repetitions(series, builder.point(coordinates, line(2)), values, line(2));
}

Row values_of(const Series& series, std::size_t measurement) {
    const auto values = series.values_of(series.measurements.at(measurement));
    return {values.begin(), values.end()};
}

template <class Function>
Error error_in(Function function) {
    try {
        function();
    } catch (const Error& error) {
        return error;
    }
    return Error(ErrorKind::internal, "there was no error");
}

}  // namespace

TEST(ExperimentBuilder, KeepsTheOrderOfArrival) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {64, 1}, {1});
    add(builder, {4, 1}, {2});
    add(builder, {16, 1}, {3});
    const Experiment experiment = builder.build();
    EXPECT_EQ(experiment.coordinates, (Row{64, 1, 4, 1, 16, 1}));
    EXPECT_EQ(values_of(experiment.series[0], 1), Row{2});
}

TEST(ExperimentBuilder, CountsFurtherValuesOfAPointAsRepetitions) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1, 2});
    add(builder, {8, 1}, {10});
    add(builder, {4, 1}, {3});
    const Experiment experiment = builder.build();
    ASSERT_EQ(experiment.series[0].measurements.size(), 2U);
    EXPECT_EQ(experiment.series[0].measurements[0].repetitions, 3U);
    EXPECT_EQ(experiment.series[0].measurements[0].summary.mean, 2.0);
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{1, 2, 3}));
    EXPECT_EQ(values_of(experiment.series[0], 1), Row{10});
}

TEST(ExperimentBuilder, KeepsValuesOfProcessesTogether) {
    ExperimentBuilder builder = builder_of_two();
    const SeriesId series = builder.series(builder.region("r"), builder.metric("m"));
    const PointId a = builder.point(Row{4, 1}, line(2));
    const PointId b = builder.point(Row{8, 1}, line(2));
    builder.add_repetition(series, a, Row{1, 2}, line(2));
    builder.add_repetition(series, b, Row{3}, line(2));
    builder.add_repetition(series, a, Row{4, 5, 6}, line(2));
    const Experiment experiment = builder.build();
    const Series& built = experiment.series[0];
    EXPECT_EQ(values_of(built, 0), (Row{1, 2, 4, 5, 6}));
    EXPECT_TRUE(
        std::ranges::equal(built.locations_of(built.measurements[0]), std::vector<std::uint32_t>{2, 3}));
    EXPECT_TRUE(std::ranges::equal(built.locations_of(built.measurements[1]), std::vector<std::uint32_t>{1}));
    EXPECT_EQ(built.measurements[0].repetitions, 2U);
}

TEST(ExperimentBuilder, LeavesOutValuesThatAreNotFinite) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1, nan, 3});
    add(builder, {8, 1}, {infinity});
    const Experiment experiment = builder.build();
    ASSERT_EQ(experiment.series[0].measurements.size(), 1U);
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{1, 3}));
    EXPECT_EQ(experiment.point_count(), 2U);
    ASSERT_EQ(experiment.notes.size(), 2U);
    EXPECT_EQ(to_text(experiment.notes[1]), "file:2: a value of 'r' is not finite (inf) and is left out");
}

TEST(ExperimentBuilder, DropsASeriesWithoutMeasurements) {
    ExperimentBuilder builder = builder_of_two();
    (void)builder.series(builder.region("empty"), builder.metric("m"));
    add(builder, {4, 1}, {1});
    const Experiment experiment = builder.build();
    ASSERT_EQ(experiment.series.size(), 1U);
    EXPECT_EQ(experiment.region(experiment.series[0]).path, "r");
    EXPECT_EQ(experiment.regions.size(), 2U);
}

TEST(ExperimentBuilder, TakesParametersOfALaterFileInAnyOrder) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1});
    builder.set_parameters(Names{"n", "p"}, line(1));
    add(builder, {1, 4}, {2});
    add(builder, {1, 8}, {3});
    const Experiment experiment = builder.build();
    EXPECT_EQ(experiment.coordinates, (Row{4, 1, 8, 1}));
    EXPECT_EQ(values_of(experiment.series[0], 0), (Row{1, 2}));
}

TEST(ExperimentBuilder, RefusesOtherParameters) {
    for (const Names& names : {Names{"p"}, Names{"p", "q"}, Names{"p", "n", "q"}}) {
        ExperimentBuilder builder = builder_of_two();
        const Error error = error_in([&] { builder.set_parameters(names, line(7)); });
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.place().line, 7U);
        EXPECT_EQ(error.hint(), "read files with different parameters one by one");
    }
    ExperimentBuilder builder;
    EXPECT_STREQ(error_in([&] { builder.set_parameters(Names{}, line(7)); }).what(),
                 "file:7: names no parameter");
    EXPECT_STREQ(error_in([&] {
                     builder.set_parameters(Names{"p", "p"}, line(7));
                 }).what(),
                 "file:7: parameter 'p' is named twice");
}

TEST(ExperimentBuilder, RefusesCoordinatesThatAreNoPoint) {
    ExperimentBuilder builder = builder_of_two();
    EXPECT_STREQ(error_in([&] { (void)builder.point(Row{4}, line(3)); }).what(),
                 "file:3: the point has 1 value for 2 parameters");
    EXPECT_EQ(error_in([&] {
                  (void)builder.point(Row{4, 1, 2}, line(3));
              }).hint(),
              "give a value for each of p, n");
    EXPECT_STREQ(error_in([&] {
                     (void)builder.point(Row{4, nan}, line(3));
                 }).what(),
                 "file:3: a coordinate is not finite (nan)");
}

TEST(ExperimentBuilder, TakesMinusZeroForZero) {
    ExperimentBuilder builder = builder_of_two();
    EXPECT_EQ(builder.point(Row{0.0, 1}, line(1)), builder.point(Row{-0.0, 1}, line(1)));
}

TEST(ExperimentBuilder, RefusesToJoinSummariesWithAnything) {
    for (const std::uint32_t repetitions : {0U, 3U}) {
        ExperimentBuilder builder = builder_of_two();
        const SeriesId series = builder.series(builder.region("r"), builder.metric("m"));
        const PointId point = builder.point(Row{4, 1}, line(2));
        builder.add_summary(series, point, {.mean = 2, .median = 1}, false, repetitions, line(3));
        EXPECT_STREQ(
            error_in([&] { builder.add_summary(series, point, {}, false, repetitions, line(4)); }).what(),
            "file:4: 'r' has two summaries at p=4, n=1");
        EXPECT_STREQ(error_in([&] { builder.add_repetitions(series, point, Row{1}, line(5)); }).what(),
                     "file:5: 'r' has a summary at p=4, n=1 already, and single values cannot join it");
    }
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1});
    const SeriesId series = builder.series(builder.region("r"), builder.metric("m"));
    EXPECT_STREQ(error_in([&] {
                     builder.add_summary(series, builder.point(Row{4, 1}, line(2)), {}, true, 1, line(6));
                 }).what(),
                 "file:6: 'r' has single values at p=4, n=1 already, and a summary cannot join them");
}

TEST(ExperimentBuilder, LeavesOutASummaryThatIsNotFinite) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {8, 1}, {1});
    builder.add_summary(builder.series(builder.region("r"), builder.metric("m")),
                        builder.point(Row{4, 1}, line(2)), {.mean = nan}, false, 1, line(3));
    const Experiment experiment = builder.build();
    EXPECT_EQ(experiment.series[0].measurements.size(), 1U);
    EXPECT_EQ(experiment.notes.size(), 1U);
}

TEST(ExperimentBuilder, CountsNotesOfEqualText) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1});
    builder.note(line(3), "the same");
    builder.note(line(4), "another");
    builder.note(line(5), "the same");
    const Experiment experiment = builder.build();
    ASSERT_EQ(experiment.notes.size(), 2U);
    EXPECT_EQ(to_text(experiment.notes[0]), "file:3: the same (2 times)");
    EXPECT_EQ(to_text(experiment.notes[1]), "file:4: another");
}

TEST(ExperimentBuilder, KeepsTheFirstUnitAndKnowsUsualOnes) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1});
    builder.set_unit(builder.metric("m"), "ms");
    builder.set_unit(builder.metric("m"), "s");
    (void)builder.metric("time");
    builder.set_unit(builder.metric("bytes"), "GB");
    builder.set_parameter_unit("n", "cells");
    const Experiment experiment = builder.build();
    EXPECT_EQ(experiment.metrics[0].unit, "ms");
    EXPECT_EQ(experiment.metrics[1].unit, "s");
    EXPECT_EQ(experiment.metrics[2].unit, "GB");
    EXPECT_EQ(experiment.parameters[1].unit, "cells");
}

TEST(ExperimentBuilder, SaysThatNothingWasMeasured) {
    ExperimentBuilder builder = builder_of_two();
    EXPECT_EQ(error_in([&] { (void)builder.build(); }).hint(), "check that the input holds measurements");
    builder = builder_of_two();
    add(builder, {4, 1}, {nan});
    const Error error = error_in([&] { (void)builder.build(); });
    EXPECT_STREQ(error.what(), "file:2: nothing was measured");
    EXPECT_EQ(error.hint(), "the first note says: a value of 'r' is not finite (nan) and is left out");
}

TEST(ExperimentBuilder, IsEmptyAfterBuilding) {
    ExperimentBuilder builder = builder_of_two();
    add(builder, {4, 1}, {1});
    (void)builder.build();
    EXPECT_FALSE(builder.has_parameters());
    builder.set_parameters(Names{"x"}, line(1));
    add(builder, {2}, {7});
    EXPECT_EQ(builder.build().coordinates, Row{2});
}

// Against the plain way: a map from what is measured to all its values, for enough points that each look-up
// is met.
TEST(ExperimentBuilder, AgreesWithAMapOfAllValues) {
    std::mt19937_64 random(11);
    for (const std::uint64_t points : {1, 5, 31, 32, 33, 34, 300}) {
        SCOPED_TRACE(points);
        ExperimentBuilder builder = builder_of_two();
        std::map<std::tuple<std::string, std::string, double, double>, Row> expected;
        for (int i = 0; i < 5000; ++i) {
            const std::string region = "r" + std::to_string(random() % 3);
            const std::string metric = "m" + std::to_string(random() % 2);
            const std::uint64_t point = random() % points;
            const Row coordinates{static_cast<double>(point % 7), static_cast<double>(point / 7)};
            Row values(1 + random() % 3);
            for (double& value : values) value = static_cast<double>(random() % 1000);
            const SeriesId series = builder.series(builder.region(region), builder.metric(metric));
            if (random() % 2 == 0) {
                builder.add_repetitions(series, builder.point(coordinates, line(1)), values, line(1));
            } else {
                builder.add_repetition(series, builder.point(coordinates, line(1)), values, line(1));
            }
            Row& all = expected[{region, metric, coordinates[0], coordinates[1]}];
            all.insert(all.end(), values.begin(), values.end());
        }
        const Experiment experiment = builder.build();
        std::size_t count = 0;
        for (const Series& series : experiment.series) {
            for (const Measurement& measurement : series.measurements) {
                const auto point = experiment.point(measurement.point);
                const auto& all = expected.at(
                    {experiment.region(series).path, experiment.metric(series).name, point[0], point[1]});
                EXPECT_TRUE(std::ranges::equal(series.values_of(measurement), all));
                EXPECT_EQ(measurement.summary.maximum, *std::ranges::max_element(all));
                ++count;
            }
        }
        EXPECT_EQ(count, expected.size());
    }
}

/// Adds a value of a region at the point 4, and ends the file of that name.
void add_file(ExperimentBuilder& builder, const char* region, const char* file) {
    builder.set_parameters(Names{"p"}, {.file = file});
    const SeriesId series = builder.series(builder.region(region), builder.metric("time"));
    builder.add_repetitions(series, builder.point(Row{4}, {.file = file}), Row{1}, {.file = file});
    builder.finish_file(file);
}

// A table that has no region within another one fits to either.
TEST(ExperimentBuilder, TakesFlatFilesForNeitherInclusiveNorExclusive) {
    ExperimentBuilder builder;
    add_file(builder, "solve", "flat");
    builder.state_inclusive();
    add_file(builder, "main->solve", "inclusive");
    add_file(builder, "operator->", "flat too");
    EXPECT_EQ(std::string(error_in([&] { add_file(builder, "main->solve", "nested"); }).what()),
              "nested: has exclusive values, but inclusive has inclusive ones");
    builder.state_inclusive();
    add_file(builder, "main->solve", "also inclusive");
    EXPECT_TRUE(builder.build().inclusive);

    add_file(builder, "main->solve", "nested");
    add_file(builder, "solve", "flat");
    builder.state_inclusive();
    EXPECT_EQ(std::string(error_in([&] { add_file(builder, "main", "inclusive"); }).what()),
              "inclusive: has inclusive values, but nested has exclusive ones");
}

TEST(ExperimentBuilder, NamesBothFilesWhoseParametersDiffer) {
    ExperimentBuilder builder;
    builder.set_parameters(Names{"ranks"}, {.file = "runs.csv"});
    EXPECT_EQ(std::string(error_in([&] {
                              builder.set_parameters(Names{"p", "n"}, {.file = "a.cali"});
                          }).what()),
              "a.cali: has the parameters p, n, but runs.csv has ranks");
    EXPECT_EQ(std::string(error_in([&] {
                              builder.set_parameters(Names{"p"}, {.file = "runs.csv", .line = 9});
                          }).what()),
              "runs.csv:9: has the parameters p, but what was read before has ranks");
}

TEST(ExperimentBuilder, KnowsTheFirstFileThatTellsOfSomething) {
    ExperimentBuilder builder;
    EXPECT_EQ(builder.first_to_tell("job 1", "a"), "a");
    EXPECT_EQ(builder.first_to_tell("job 1", "b"), "a");
    EXPECT_EQ(builder.first_to_tell("job 2", "b"), "b");
}

}  // namespace plimsoll::experiment
