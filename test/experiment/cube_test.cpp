// What a written profile holds comes back: the values are planted, in all the ways in which Cube stores them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "test/support/cube_writer.hpp"
#include "test/support/read_text.hpp"

namespace plimsoll::experiment {
namespace {

using test::CubeTestMetric;
using test::CubeTestProfile;

Experiment read_profile(const CubeTestProfile& profile) {
    return test::read_experiment(test::cube_archive(profile), {}, "app.p4n10.r1/profile.cubex");
}

/// Values of a region and metric at the only point; empty where there are none.
std::vector<double> values_of(const Experiment& experiment, std::string_view path, std::string_view metric) {
    for (const Series& series : experiment.series) {
        if (experiment.region(series).path != path || experiment.metric(series).name != metric) continue;
        const auto values = series.values_of(series.measurements.at(0));
        return {values.begin(), values.end()};
    }
    return {};
}

std::string bytes_of(std::uint64_t number) {
    std::string bytes(sizeof(number), '\0');
    std::memcpy(bytes.data(), &number, sizeof(number));
    return bytes;
}

bool has_note(const Experiment& experiment, std::string_view part) {
    return std::ranges::any_of(
        experiment.notes, [&](const Note& note) { return note.message.find(part) != std::string::npos; });
}

/// Two roots and three levels, so that the two ways to count nodes differ; six locations; nodes without
/// values.
CubeTestProfile branched_profile() {
    CubeTestProfile profile;
    profile.nodes = {{"main", -1}, {"solve", 0}, {"dot", 1},     {"exchange", 1},
                     {"wait", 3},  {"write", 0}, {"helper", -1}, {"poll", 6}};
    profile.ranks = 2;
    profile.threads = 3;
    for (const std::string type : {"EXCLUSIVE", "INCLUSIVE"}) {
        CubeTestMetric metric{.name = type == "EXCLUSIVE" ? "visits" : "time", .type = type};
        for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
            metric.values.emplace_back();
            if (node == 2 || node == 7) continue;
            for (int location = 0; location < 6; ++location) {
                metric.values.back().push_back(static_cast<double>(1 + node) * 16 + location);
            }
        }
        profile.metrics.push_back(metric);
    }
    return profile;
}

void expect_planted_values(const CubeTestProfile& profile) {
    const Experiment experiment = read_profile(profile);
    const std::vector<std::string> paths{"main",
                                         "main->solve",
                                         "main->solve->dot",
                                         "main->solve->exchange",
                                         "main->solve->exchange->wait",
                                         "main->write",
                                         "helper",
                                         "helper->poll"};
    for (const CubeTestMetric& metric : profile.metrics) {
        for (std::size_t node = 0; node < paths.size(); ++node) {
            EXPECT_EQ(values_of(experiment, paths[node], metric.name), metric.values[node]) << paths[node];
        }
    }
}

TEST(CubeProfile, GivesBackTheExclusiveValuesOfAllLocations) { expect_planted_values(branched_profile()); }

TEST(CubeProfile, MayBeCompressedInBigEndianOrderAndWithAPackedAnchor) {
    for (const bool compressed : {false, true}) {
        for (const bool big_endian : {false, true}) {
            SCOPED_TRACE(compressed ? "compressed" : "plain");
            SCOPED_TRACE(big_endian ? "big endian" : "little endian");
            CubeTestProfile profile = branched_profile();
            profile.compressed = profile.compressed_anchor = compressed;
            profile.big_endian = big_endian;
            expect_planted_values(profile);
        }
    }
}

TEST(CubeProfile, FindsCompressedRowsWhereTheTableSays) {
    CubeTestProfile profile = branched_profile();
    profile.compressed = profile.streams_reversed = true;
    expect_planted_values(profile);
}

TEST(CubeProfile, MayListAllNodesByListingNone) {
    CubeTestProfile profile = branched_profile();
    profile.all_nodes_listed = true;
    for (CubeTestMetric& metric : profile.metrics)
        metric.values[2] = metric.values[7] = std::vector<double>(6, 5.0);
    expect_planted_values(profile);
}

TEST(CubeProfile, ForgivesTheSlipsOfCubesTarWriter) {
    CubeTestProfile profile = branched_profile();
    profile.early_block_of_zeros = true;
    profile.member_prefix = "./";
    expect_planted_values(profile);
    EXPECT_FALSE(has_note(read_profile(profile), "checksum"));

    profile.wrong_checksums = true;
    expect_planted_values(profile);
    EXPECT_TRUE(has_note(read_profile(profile), "wrong header checksums"));
}

TEST(CubeProfile, UnderstandsAllTypesOfNumbers) {
    for (const std::string type :
         {"DOUBLE", "FLOAT", "UINT64", "INT64", "UINT32", "INT32", "UINT16", "INT16", "UINT8", "INT8"}) {
        for (const std::string storage : {"EXCLUSIVE", "INCLUSIVE"}) {
            for (const bool big_endian : {false, true}) {
                SCOPED_TRACE(type);
                SCOPED_TRACE(storage);
                const bool is_unsigned = type.starts_with('U');
                const std::vector<double> own{is_unsigned ? 40.0 : -40.0, 7.0};
                CubeTestProfile profile{
                    .nodes = {{"main", -1}, {"f", 0}}, .ranks = 2, .big_endian = big_endian};
                profile.metrics = {
                    {.name = "m", .type = storage, .data_type = type, .values = {own, {12.0, 80.0}}}};
                const Experiment experiment = read_profile(profile);
                EXPECT_EQ(values_of(experiment, "main", "m"), own);
                EXPECT_EQ(values_of(experiment, "main->f", "m"), (std::vector{12.0, 80.0}));
            }
        }
    }
}

TEST(CubeProfile, TakesDifferencesOfLargeCountsExactly) {
    // No double lies between 2^60 and 2^60 + 256, so that the difference must be one of whole numbers.
    CubeTestProfile profile{.nodes = {{"main", -1}, {"f", 0}}};
    profile.metrics = {
        {.name = "cycles", .type = "INCLUSIVE", .data_type = "UINT64", .values = {{1.0}, {1.0}}}};
    auto members = test::cube_members(profile);
    members[0].content =
        "CUBEX.DATA" + bytes_of(1'152'921'504'606'846'979U) + bytes_of(1'152'921'504'606'846'976U);
    const Experiment experiment =
        test::read_experiment(test::tar_archive(members), {}, "app.p4/profile.cubex");
    EXPECT_EQ(values_of(experiment, "main", "cycles"), std::vector{3.0});
}

TEST(CubeProfile, LeavesNoCountBelowZero) {
    // The caller's inclusive count is smaller than its callee's, as where a counter wrapped.
    CubeTestProfile profile{.nodes = {{"main", -1}, {"f", 0}}, .ranks = 2};
    for (const std::string type : {"UINT64", "UINT32"}) {
        profile.metrics = {
            {.name = "n", .type = "INCLUSIVE", .data_type = type, .values = {{-5.0, 1.0}, {9.0, 2.0}}}};
        EXPECT_EQ(values_of(read_profile(profile), "main", "n"), (std::vector{0.0, 1.0})) << type;
    }
}

TEST(CubeProfile, ReadsACountJustBelowTwoToThe64AsZero) {
    CubeTestProfile profile{.nodes = {{"main", -1}}, .ranks = 3};
    profile.metrics = {{.name = "n", .data_type = "UINT64", .values = {{1.0, 1.0, 1.0}}}};
    auto members = test::cube_members(profile);
    const std::uint64_t top = ~std::uint64_t{0};
    members[0].content = "CUBEX.DATA" + bytes_of(top) + bytes_of(top - 1023) + bytes_of(top - 1024);
    const Experiment experiment =
        test::read_experiment(test::tar_archive(members), {}, "app.p4/profile.cubex");
    EXPECT_EQ(values_of(experiment, "main", "n"), (std::vector{0.0, 0.0, static_cast<double>(top - 1024)}));
}

TEST(CubeProfile, JoinsNodesOfOneCallPath) {
    CubeTestProfile profile{.nodes = {{"main", -1}, {"f", 0}, {"g", 1}, {"f", 0}, {"g", 3}}, .ranks = 2};
    const std::vector<std::vector<double>> values{{1, 2}, {10, 20}, {5, 60}, {300, 4}, {}};
    profile.metrics = {{.name = "time", .type = "INCLUSIVE", .values = values},
                       {.name = "min_time", .data_type = "MINDOUBLE", .values = values},
                       {.name = "max_time", .data_type = "MAXDOUBLE", .values = values}};
    const Experiment experiment = read_profile(profile);
    EXPECT_EQ(experiment.regions.size(), 3U);
    EXPECT_EQ(values_of(experiment, "main->f", "time"), (std::vector{310.0, 24.0}));
    EXPECT_EQ(values_of(experiment, "main->f", "min_time"), (std::vector{10.0, 4.0}));
    EXPECT_EQ(values_of(experiment, "main->f", "max_time"), (std::vector{300.0, 20.0}));
    EXPECT_EQ(values_of(experiment, "main->f->g", "time"), (std::vector{5.0, 60.0}));
    for (const Series& series : experiment.series) EXPECT_EQ(series.measurements.at(0).repetitions, 1U);
}

TEST(CubeProfile, KeepsTheNumberOfLocations) {
    const Experiment experiment = read_profile(branched_profile());
    const Series& series = experiment.series.at(0);
    EXPECT_EQ(std::vector<std::uint32_t>(series.locations_of(series.measurements.at(0)).begin(),
                                         series.locations_of(series.measurements.at(0)).end()),
              std::vector<std::uint32_t>{6});
}

TEST(CubeProfile, ReadsGhostAndNestedMetricsAndLeavesOutWhatStoresNothing) {
    CubeTestProfile profile{.nodes = {{"main", -1}}};
    profile.metrics = {
        {.name = "time",
         .type = "EXCLUSIVE\" viztype=\"GHOST",
         .values = {{4.0}},
         .children = {{.name = "mpi", .values = {{3.0}}, .children = {{.name = "wait", .values = {{2.0}}}}}}},
        {.name = "bytes_put", .data_type = "UINT64", .unit = "bytes"},
        {.name = "ratio", .type = "POSTDERIVED"},
        {.name = "share", .type = "PREDERIVED_INCLUSIVE"},
        {.name = "histogram", .data_type = "HISTOGRAM(10)", .values = {{1.0}}}};
    const Experiment experiment = read_profile(profile);
    EXPECT_EQ(values_of(experiment, "main", "time"), std::vector{4.0});
    EXPECT_EQ(values_of(experiment, "main", "mpi"), std::vector{3.0});
    EXPECT_EQ(values_of(experiment, "main", "wait"), std::vector{2.0});
    EXPECT_EQ(experiment.metrics.size(), 3U);
    EXPECT_TRUE(has_note(experiment, "metric 'bytes_put' holds no data and is left out"));
    EXPECT_TRUE(has_note(experiment, "metric 'ratio' is computed from others (POSTDERIVED)"));
    EXPECT_TRUE(has_note(experiment, "metric 'share' is computed from others (PREDERIVED_INCLUSIVE)"));
    EXPECT_TRUE(has_note(experiment, "metric 'histogram' has values of the type HISTOGRAM(10)"));
}

TEST(CubeProfile, TellsUnitsInOurSpelling) {
    CubeTestProfile profile{.nodes = {{"main", -1}}};
    for (const std::string unit : {"sec", "bytes", "occ", "#", "W"}) {
        profile.metrics.push_back({.name = "in " + unit, .unit = unit, .values = {{1.0}}});
    }
    const Experiment experiment = read_profile(profile);
    std::vector<std::string> units;
    for (const Metric& metric : experiment.metrics) units.push_back(metric.unit);
    EXPECT_EQ(units, (std::vector<std::string>{"s", "B", "", "", "W"}));
}

TEST(CubeProfile, KeepsNamesWithMarkup) {
    CubeTestProfile profile{.nodes = {{"f<int&>(a b)", -1}}};
    profile.metrics = {{.name = "time", .values = {{1.0}}}};
    EXPECT_EQ(read_profile(profile).regions.at(0).path, "f<int&>(a b)");
}

TEST(CubeProfile, LeavesOutValuesThatAreNotFinite) {
    CubeTestProfile profile{.nodes = {{"main", -1}}, .ranks = 3};
    profile.metrics = {{.name = "time", .values = {{1.0, std::numeric_limits<double>::quiet_NaN(), 3.0}}}};
    const Experiment experiment = read_profile(profile);
    EXPECT_EQ(values_of(experiment, "main", "time"), (std::vector{1.0, 3.0}));
    EXPECT_TRUE(has_note(experiment, "not finite"));
}

TEST(CubeProfile, ReadsADeepCallTree) {
    CubeTestProfile profile;
    CubeTestMetric metric{.name = "time", .type = "INCLUSIVE"};
    for (int depth = 0; depth < 500; ++depth) {
        profile.nodes.push_back({.region = "f", .parent = depth - 1});
        metric.values.push_back({1.0});
    }
    profile.metrics = {metric};
    const Experiment experiment = read_profile(profile);
    EXPECT_EQ(experiment.regions.size(), 500U);
    for (const Series& series : experiment.series) EXPECT_EQ(series.values, std::vector{1.0});
}

TEST(CubeProfile, IsRecognisedByItsNameOrItsFirstMember) {
    const CubeTestProfile profile = branched_profile();
    EXPECT_NO_THROW((void)test::read_experiment(test::cube_archive(profile), {}, "app.p4/profile"));
    EXPECT_EQ(test::error_of("no archive").place().file, "input");
}

}  // namespace
}  // namespace plimsoll::experiment
