#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "plimsoll/experiment/writer.hpp"
#include "test/support/read_text.hpp"
#include "test/support/stopped.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::experiment {

namespace {

using test::read_experiment;

std::string written(const Experiment& experiment) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "experiment.jsonl";
    OutputFile file(path);
    write_json_lines(experiment, file, silent());
    file.commit();
    return read_file(path);
}

/// Any finite double, of any size.
double any_double(std::mt19937_64& random) {
    for (;;) {
        const auto value = std::bit_cast<double>(random());
        if (std::isfinite(value)) return value;
    }
}

std::string any_name(std::mt19937_64& random) {
    static const std::vector<std::string> pieces{
        "main", "->", "\"", "\\", "\n", "\xC3\xB6", "\xF0\x9F\x9A\xA2", " ", "x", ";"};
    std::string name = "n" + std::to_string(random() % 1000);
    for (std::size_t i = random() % 4; i > 0; --i) name += pieces[random() % pieces.size()];
    return name;
}

/// An experiment of any kind: ragged repetitions, values of processes, summaries, tags, gaps, any order of
/// arrival.
Experiment any_experiment(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
    ExperimentBuilder builder;
    const Place place{.file = "made"};

    std::vector<std::string> names;
    for (std::size_t k = 1 + random() % 3; k > 0; --k) names.push_back(any_name(random) + std::to_string(k));
    builder.set_parameters(names, place);
    if (chance(2)) builder.set_parameter_unit(names.front(), any_name(random));

    std::vector<PointId> points;
    for (std::size_t i = 1 + random() % 6; i > 0; --i) {
        std::vector<double> coordinates;
        for (std::size_t k = 0; k < names.size(); ++k) coordinates.push_back(any_double(random));
        points.push_back(builder.point(coordinates, place));
    }
    std::vector<RegionId> regions;
    for (std::size_t i = 1 + random() % 4; i > 0; --i) {
        regions.push_back(builder.region(any_name(random)));
        if (chance(3))
            builder.rest().regions[index(regions.back())].tags = R"({"agg__category": ["a", 1.50]})";
    }
    std::vector<MetricId> metrics;
    for (std::size_t i = 1 + random() % 3; i > 0; --i) {
        metrics.push_back(builder.metric(any_name(random)));
        if (chance(2)) builder.set_unit(metrics.back(), any_name(random));
        if (chance(3)) builder.rest().metrics[index(metrics.back())].tags = R"({"b":{}})";
    }
    std::vector<bool> has_summary(regions.size() * metrics.size() * points.size());
    std::vector<bool> has_values(has_summary.size());
    for (std::size_t i = 1 + random() % 60; i > 0; --i) {
        const std::size_t region = random() % regions.size();
        const std::size_t metric = random() % metrics.size();
        const std::size_t point = random() % points.size();
        const std::size_t key =
            (index(regions[region]) * metrics.size() + index(metrics[metric])) * points.size() +
            index(points[point]);
        if (has_summary[key]) continue;
        const SeriesId series = builder.series(regions[region], metrics[metric]);
        std::vector<double> values(1 + random() % 4);
        for (double& value : values) value = any_double(random) / 16.0;  // their sum stays finite
        if (!has_values[key] && chance(4)) {
            const bool is_complete = chance(2);
            numeric::Summary summary{.mean = values[0], .median = any_double(random)};
            if (is_complete)
                summary = {
                    .mean = 1.5, .median = 2, .minimum = values[0], .maximum = 7e300, .deviation = 0.1};
            builder.add_summary(series, points[point], summary, is_complete,
                                static_cast<std::uint32_t>(random() % 4), place);
            has_summary[key] = true;
        } else if (chance(2)) {
            builder.add_repetitions(series, points[point], values, place);
            has_values[key] = true;
        } else {
            builder.add_repetition(series, points[point], values, place);
            has_values[key] = true;
        }
    }
    if (chance(2)) builder.rest().scaling = Scaling::weak_threaded;
    builder.rest().inclusive = chance(2);
    if (chance(2))
        builder.rest().metadata = {{"program", "\"kernels\""}, {any_name(random), R"({"nodes": [1, null]})"}};
    if (chance(2))
        builder.rest().extrap_modelers = R"([{"name":"Default","models":{"main":{"time":1e-05}}}])";
    return builder.build();
}

template <class List>
std::vector<typename List::value_type> copied(const List& list) {
    return {list.begin(), list.end()};
}

void expect_same_measurements(const Series& a, const Series& b) {
    ASSERT_EQ(a.measurements.size(), b.measurements.size());
    for (std::size_t i = 0; i < a.measurements.size(); ++i) {
        const Measurement& m = a.measurements[i];
        const Measurement& n = b.measurements[i];
        EXPECT_EQ(index(m.point), index(n.point));
        EXPECT_EQ(m.repetitions, n.repetitions);
        EXPECT_EQ(m.complete_summary, n.complete_summary);
        EXPECT_EQ(std::memcmp(&m.summary, &n.summary, sizeof m.summary), 0);
        EXPECT_TRUE(std::ranges::equal(a.values_of(m), b.values_of(n)));
        EXPECT_TRUE(std::ranges::equal(a.locations_of(m), b.locations_of(n)));
    }
}

/// All that an experiment holds but its notes.
void expect_same(const Experiment& a, const Experiment& b) {
    ASSERT_EQ(a.parameters.size(), b.parameters.size());
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
        EXPECT_EQ(a.parameters[k].name, b.parameters[k].name);
        EXPECT_EQ(a.parameters[k].unit, b.parameters[k].unit);
    }
    EXPECT_EQ(a.coordinates, b.coordinates);
    ASSERT_EQ(a.regions.size(), b.regions.size());
    for (std::size_t i = 0; i < a.regions.size(); ++i) {
        EXPECT_EQ(a.regions[i].path, b.regions[i].path);
        EXPECT_EQ(a.regions[i].tags, b.regions[i].tags);
    }
    ASSERT_EQ(a.metrics.size(), b.metrics.size());
    for (std::size_t i = 0; i < a.metrics.size(); ++i) {
        EXPECT_EQ(a.metrics[i].name, b.metrics[i].name);
        EXPECT_EQ(a.metrics[i].unit, b.metrics[i].unit);
        EXPECT_EQ(a.metrics[i].tags, b.metrics[i].tags);
    }
    ASSERT_EQ(a.series.size(), b.series.size());
    for (std::size_t i = 0; i < a.series.size(); ++i) {
        EXPECT_EQ(index(a.series[i].region), index(b.series[i].region));
        EXPECT_EQ(index(a.series[i].metric), index(b.series[i].metric));
        expect_same_measurements(a.series[i], b.series[i]);
    }
    EXPECT_EQ(a.scaling, b.scaling);
    EXPECT_EQ(a.inclusive, b.inclusive);
    EXPECT_EQ(a.metadata, b.metadata);
    EXPECT_EQ(a.extrap_modelers, b.extrap_modelers);
}

}  // namespace

TEST(WriteJsonLines, LosesNothing) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        const Experiment experiment = any_experiment(seed);
        const Experiment again = read_experiment(written(experiment));
        expect_same(experiment, again);
        EXPECT_TRUE(again.notes.empty());
        if (HasFailure()) break;
    }
}

TEST(WriteJsonLines, WritesTheSameTextAgain) {
    const std::string text = written(any_experiment(7));
    EXPECT_EQ(written(read_experiment(text)), text);
}

TEST(WriteJsonLines, WritesOneLineForEachMeasurement) {
    const std::string text =
        R"({"schema":"plimsoll.experiment/1","parameters":["p",{"name":"n","unit":"B"}],"metrics":{"time":{"unit":"s"}}})"
        "\n"
        R"({"params":{"p":4,"n":0.5},"region":"main","metric":"time","value":[[0.1],[1e-300]]})"
        "\n"
        R"({"params":{"p":8,"n":0.5},"region":"main","metric":"time","value":[[1,2],[3]]})"
        "\n"
        R"({"params":{"p":16,"n":0.5},"region":"main","metric":"time","summary":{"mean":1,"median":2}})"
        "\n";
    EXPECT_EQ(written(read_experiment(text)), text);
}

// The header need not fit into what detection looks at.
TEST(WriteJsonLines, WritesALongHeaderThatIsRecognised) {
    ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    for (int i = 0; i < 10000; ++i)
        (void)builder.region("a region without measurements " + std::to_string(i));
    const double value = 1.0;
    builder.add_repetitions(builder.series(builder.region("main"), builder.metric("time")),
                            builder.point({&value, 1}, {}), {&value, 1}, {});
    const Experiment experiment = builder.build();
    const std::string text = written(experiment);
    ASSERT_GT(text.find('\n'), std::size_t{1} << 16U);
    expect_same(experiment, read_experiment(text));
}

TEST(WriteJsonLines, WritesJsonOfSeveralLinesOnOne) {
    Experiment experiment = any_experiment(3);
    experiment.metadata["made"] = "{\n  \"a\": [1,\r\n 2]\n}";
    EXPECT_EQ(read_experiment(written(experiment)).metadata.at("made"), "{   \"a\": [1,   2] }");
}

TEST(JsonLinesWriter, StopsWhereTheUserAskedToStop) {
    const test::TemporaryFolder folder;
    ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const double one = 1;
    builder.add_repetitions(builder.series(builder.region("r"), builder.metric("m")),
                            builder.point({&one, 1}, {}), {&one, 1}, {});
    const Experiment experiment = builder.build();
    OutputFile file(folder / "a.jsonl");
    test::Stopped stopped;
    EXPECT_THROW(write_json_lines(experiment, file, stopped), Cancelled);
}

}  // namespace plimsoll::experiment
