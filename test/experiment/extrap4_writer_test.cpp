#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/writer.hpp"
#include "test/support/extrap4_archive.hpp"
#include "test/support/stopped.hpp"

namespace plimsoll::experiment {
namespace {

using test::read_archive;

/// All that an experiment holds, one thing a line.
std::string everything(const Experiment& e) {
    std::string text;
    for (const auto& p : e.parameters) text += "parameter " + p.name + " unit " + p.unit + "\n";
    for (const double c : e.coordinates) text += "coordinate " + shortest(c) + "\n";
    for (const auto& r : e.regions) text += "region " + r.path + " tags " + r.tags + "\n";
    for (const auto& m : e.metrics) text += "metric " + m.name + " unit " + m.unit + " tags " + m.tags + "\n";
    for (const auto& s : e.series) {
        text += "series " + e.region(s).path + " / " + e.metric(s).name + "\n";
        for (const auto& m : s.measurements) {
            text += "  " + describe_point(e, m.point) + " repetitions " + std::to_string(m.repetitions);
            for (const double v : {m.summary.mean, m.summary.median, m.summary.minimum, m.summary.maximum,
                                   m.summary.deviation}) {
                text += " " + shortest(v);
            }
            text += m.complete_summary ? " complete\n   " : " mean and median\n   ";
            for (const double v : s.values_of(m)) text += " " + shortest(v);
            text += " |";
            for (const auto n : s.locations_of(m)) text += " " + std::to_string(n);
            text += "\n";
        }
    }
    text += e.scaling ? std::string("scaling ") + std::string(enum_name(*e.scaling)) + "\n" : "";
    text += e.inclusive ? "inclusive\n" : "";
    for (const auto& [key, value] : e.metadata) text += "metadata " + key + " " + value + "\n";
    for (const auto& note : e.notes) text += "note " + to_text(note) + "\n";
    return text + "modelers " + e.extrap_modelers + "\n";
}

/// An experiment with some of everything; the same seed gives the same one.
Experiment random_experiment(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<std::size_t>(random() % n); };
    const auto value = [&] {
        return std::ldexp(static_cast<double>(random()), static_cast<int>(below(60)) - 40);
    };
    ExperimentBuilder builder;
    builder.set_parameters(
        below(2) == 0 ? std::vector<std::string>{"p"} : std::vector<std::string>{"p", "size \"n\""}, {});
    const std::vector<std::string> paths{"main", "main->\"f\"", "zürich", "main->g", ""};
    const std::vector<std::string> metrics{"time", "visits", "bytes"};
    for (int i = 0; i < 60; ++i) {
        const SeriesId series =
            builder.series(builder.region(paths[below(5)]), builder.metric(metrics[below(3)]));
        std::vector<double> coordinates(builder.rest().parameters.size());
        for (double& c : coordinates) c = static_cast<double>(below(3)) + 0.1;
        const PointId point = builder.point(coordinates, {});
        std::vector<double> locations(i % 3 == 0 ? 1 + below(4) : 1);
        for (double& l : locations) l = value();
        builder.add_repetition(series, point, locations, {});
    }
    const SeriesId summaries = builder.series(builder.region("summaries"), builder.metric("time"));
    for (int i = 0; i < 3; ++i) {
        std::vector<double> coordinates(builder.rest().parameters.size(), 10.0 + i);
        numeric::Summary summary{.mean = value(), .median = value()};
        if (i > 0) summary.minimum = summary.maximum = summary.deviation = value();
        builder.add_summary(summaries, builder.point(coordinates, {}), summary, i > 0,
                            static_cast<std::uint32_t>(i), {});
    }
    (void)builder.region("never measured");
    Experiment& rest = builder.rest();
    rest.parameters[0].unit = "processes";
    rest.regions[1].tags = R"({"z":1,"a":[1.50,null,true]})";
    rest.metrics[1].tags = R"({"agg__category":"x"})";
    rest.inclusive = seed % 5 == 1;
    if (seed % 4 > 0) rest.scaling = static_cast<Scaling>(seed % 3);
    rest.metadata = {{"host", "\"node1\""}, {"runs", "[1,2.0,{\"a\":null}]"}};
    rest.notes.push_back({.place = {.file = "a.txt", .line = 3}, .message = "a note", .count = 2});
    if (seed % 2 == 1) rest.extrap_modelers = R"([{"name":"New \"model\"","models":{},"x":1e-300}])";
    return builder.build();
}

TEST(Extrap4, ReadsBackAllThatItWrites) {
    const test::TemporaryFolder folder;
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const Experiment written = random_experiment(seed);
        const std::string file = folder / "a.extra-p";
        write_extrap4(written, file, silent());
        const std::vector<std::string> files{file};
        const Experiment read_again = read(files, {}, silent());
        ASSERT_EQ(everything(read_again), everything(written));
        write_extrap4(read_again, folder / "b.extra-p", silent());
        EXPECT_EQ(read_file(folder / "b.extra-p"), read_file(file));
    }
}

TEST(Extrap4, KeepsAnExperimentsOwnOrder) {
    ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    for (const double p : {8.0, 2.0}) (void)builder.point({&p, 1}, {});
    for (const std::string region : {"b", "a", "b"}) {
        for (const double p : {2.0, 8.0}) {
            const auto metric = builder.metric(region == "a" ? "visits" : "time");
            builder.add_repetition(builder.series(builder.region(region), metric), builder.point({&p, 1}, {}),
                                   {&p, 1}, {});
        }
    }
    const Experiment written = builder.build();
    const test::TemporaryFolder folder;
    write_extrap4(written, folder / "a.extra-p", silent());
    EXPECT_EQ(everything(read_archive(read_file(folder / "a.extra-p"))), everything(written));
}

TEST(Extrap4, WritesNothingWhereTheFolderIsMissing) {
    const test::TemporaryFolder folder;
    EXPECT_THROW(write_extrap4(random_experiment(1), folder / "none/a.extra-p", silent()), Error);
    write_extrap4(random_experiment(1), folder / "a.extra-p", silent());
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        files += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(files, 1U);  // no temporary file stays
}

TEST(Extrap4, WritesNothingWhereTheUserAskedToStop) {
    const test::TemporaryFolder folder;
    test::Stopped stopped;
    EXPECT_THROW(write_extrap4(random_experiment(1), folder / "a.extra-p", stopped), Cancelled);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace plimsoll::experiment
