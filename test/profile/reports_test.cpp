// Reports that are one JSON document: TALP, Google Benchmark, hyperfine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::profile {
namespace {

using test::read_profile;
using test::read_profiles;
using test::values_at;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

std::string error_of(const std::string& text) {
    try {
        (void)read_profile(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.hint().empty());
        return error.what();
    }
    return {};
}

TEST(Talp, ReadsAStrongScalingFolder) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/talp/jsons/run-folder/strong-scaling");
    const auto experiment = read_profiles(std::array{folder});
    const auto base = nlohmann::json::parse(read_file(folder + "/test_base.json"));
    const auto twice = nlohmann::json::parse(read_file(folder + "/test_double.json"));
    ASSERT_EQ(experiment.point_count(), 2U);
    EXPECT_EQ(experiment.parameter_names(), Names{"p"});
    for (const auto& document : {base, twice}) {
        const auto& region = document["Application"]["Global"];
        const Values point{document["resources"]["numMpiRanks"].get<double>()};
        EXPECT_EQ(values_at(experiment, "Global", "time", point),
                  Values{1e-9 * region["elapsedTime"].get<double>()});
        EXPECT_EQ(values_at(experiment, "Global", "usefulTime", point),
                  Values{1e-9 * region["usefulTime"].get<double>()});
        EXPECT_EQ(values_at(experiment, "Global", "parallelEfficiency", point),
                  Values{region["parallelEfficiency"].get<double>()});
    }
}

TEST(Talp, ReadsEveryFixture) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/talp");
    int read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        SCOPED_TRACE(entry.path().string());
        const auto experiment = read_profiles(std::array{entry.path().string()});
        const auto document = nlohmann::json::parse(read_file(entry.path().string()));
        for (const auto& [name, region] : document["Application"].items()) {
            const auto* const series = test::find_series(experiment, name, "time");
            ASSERT_NE(series, nullptr) << name;
            EXPECT_EQ(series->measurements.front().summary.mean, 1e-9 * region["elapsedTime"].get<double>());
        }
        ++read;
    }
    EXPECT_EQ(read, 28);
}

TEST(Talp, LeavesNegativeCountersOut) {
    const auto experiment = read_profile(
        R"({"dlbVersion": "3.5", "Application": {"solve": {"elapsedTime": 2000000000, "usefulTime": 1, "cycles": -5.0}}})");
    EXPECT_EQ(values_at(experiment, "solve", "time", Values{1}), Values{2});
    EXPECT_EQ(test::find_series(experiment, "solve", "cycles"), nullptr);
    EXPECT_EQ(error_of(R"({"dlbVersion": "3.5"})"), "profile: holds no 'Application' with regions");
    EXPECT_EQ(error_of("{\"dlbVersion\": \"3.5\",\n\"Application\": {\"a\": "),
              "profile:2: the JSON text ends too early");
    EXPECT_EQ(error_of(R"({"dlbVersion": "3.5", "Application": {}})"), "profile: holds no measurements");
    EXPECT_EQ(error_of(R"({"dlbVersion": "3.5", "Application": {"a": {"elapsedTime": 1e999}}})"),
              "profile: a number is too large for any computer");
}

const std::string benchmarks =
    R"({"context": {"num_cpus": 2, "library_build_type": "release"}, "benchmarks": [
  {"name": "BM_sort/1024/repeats:2", "run_name": "BM_sort/1024/repeats:2", "run_type": "iteration", "repetition_index": 0,
   "threads": 1, "iterations": 100, "real_time": 12.0, "cpu_time": 11.0, "time_unit": "us", "bytes_per_second": 5e8},
  {"name": "BM_sort/1024/repeats:2", "run_name": "BM_sort/1024/repeats:2", "run_type": "iteration", "repetition_index": 1,
   "threads": 1, "iterations": 100, "real_time": 13.0, "cpu_time": 11.0, "time_unit": "us", "bytes_per_second": 6e8},
  {"name": "BM_sort/2048/repeats:2", "run_name": "BM_sort/2048/repeats:2", "run_type": "iteration", "repetition_index": 0,
   "threads": 1, "iterations": 100, "real_time": 0.025, "cpu_time": 0.024, "time_unit": "ms"},
  {"name": "BM_sort_mean", "run_name": "BM_sort/1024", "run_type": "aggregate", "aggregate_name": "mean",
   "threads": 1, "iterations": 2, "real_time": 12.5, "cpu_time": 11.0, "time_unit": "us"},
  {"name": "BM_sort_BigO", "run_name": "BM_sort", "run_type": "aggregate", "aggregate_name": "BigO",
   "cpu_coefficient": 1.0, "real_coefficient": 1.0, "big_o": "NlgN", "time_unit": "ns"},
  {"name": "BM_fails/64", "run_name": "BM_fails/64", "run_type": "iteration", "error_occurred": true, "error_message": "no"},
  {"name": "BM_start", "run_name": "BM_start", "run_type": "iteration", "threads": 1, "iterations": 1, "real_time": 7,
   "cpu_time": 7, "time_unit": "ns"}
]})";

TEST(GoogleBenchmark, TakesArgumentsAsParametersAndRepetitions) {
    const auto experiment = read_profile(benchmarks);
    EXPECT_EQ(experiment.parameter_names(), Names{"arg"});
    const Values times = values_at(experiment, "BM_sort", "time", Values{1024});
    ASSERT_EQ(times.size(), 2U);
    EXPECT_DOUBLE_EQ(times[0], 12e-6);
    EXPECT_DOUBLE_EQ(times[1], 13e-6);
    EXPECT_DOUBLE_EQ(values_at(experiment, "BM_sort", "time", Values{2048}).at(0), 25e-6);
    EXPECT_EQ(values_at(experiment, "BM_sort", "bytes_per_second", Values{1024}), (Values{5e8, 6e8}));
    std::string notes;
    for (const auto& note : experiment.notes) notes += note.message + "\n";
    EXPECT_NE(notes.find("'BM_fails/64' failed, and is left out: no"), std::string::npos) << notes;
    EXPECT_NE(notes.find("'BM_start' is left out: its parameters are not arg"), std::string::npos) << notes;
}

TEST(GoogleBenchmark, CountsBenchmarksWithOtherArguments) {
    const auto experiment = read_profile(
        R"({"context": {}, "benchmarks": [
          {"name": "A/8", "real_time": 1, "time_unit": "s"}, {"name": "A/16", "real_time": 1, "time_unit": "s"},
          {"name": "A/16", "real_time": 2, "time_unit": "s"}, {"name": "A/32", "real_time": 3, "time_unit": "s"},
          {"name": "B/8/1", "real_time": 4, "time_unit": "s"}, {"name": "B/8/2", "real_time": 5, "time_unit": "s"},
          {"name": "C", "real_time": 6, "time_unit": "s"}]})");
    EXPECT_EQ(values_at(experiment, "A", "time", Values{16}), (Values{1, 2}));
    ASSERT_FALSE(experiment.notes.empty());
    EXPECT_EQ(
        experiment.notes[0].message,
        "arguments differ: 3 benchmarks with arg, 2 benchmarks with arg1 and arg2, 1 benchmark without; "
        "one group is kept, the others are written to a file of their own with --benchmark_filter");
}

TEST(GoogleBenchmark, NamesArgumentsAsTheyAreNamed) {
    const auto experiment = read_profile(
        R"({"context": {}, "benchmarks": [
          {"name": "BM<int>/n:8/m:2/iterations:5/threads:1", "run_type": "iteration", "threads": 1, "real_time": 1, "time_unit": "s"},
          {"name": "BM<int>/n:8/m:2/iterations:5/threads:4", "run_type": "iteration", "threads": 4, "real_time": 3, "time_unit": "s"}]})");
    EXPECT_EQ(experiment.parameter_names(), (Names{"n", "m", "threads"}));
    EXPECT_EQ(values_at(experiment, "BM<int>", "time", Values{8, 2, 4}), Values{3});
}

TEST(GoogleBenchmark, TakesMeansWhereOnlyAggregatesWereReported) {
    const auto experiment = read_profile(
        R"({"context": {}, "benchmarks": [
          {"name": "BM/8_mean", "run_name": "BM/8", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 5, "time_unit": "s"},
          {"name": "BM/8_stddev", "run_name": "BM/8", "run_type": "aggregate", "aggregate_name": "stddev", "real_time": 1, "time_unit": "s"}]})");
    EXPECT_EQ(values_at(experiment, "BM", "time", Values{8}), Values{5});
    EXPECT_EQ(error_of(R"({"context": {}, "benchmarks": [{"real_time": 1}]})"),
              "profile: benchmark 1 has no name");
    EXPECT_EQ(error_of(R"({"context": {}, "benchmarks": {}})"), "profile: holds no list 'benchmarks'");
}

TEST(GoogleBenchmark, LeavesOutWhatIsNoNumberAndRefusesWhatIsNoUnit) {
    const auto experiment = read_profile(
        R"({"context": {}, "benchmarks": [{"name": "BM \"NaN\"/8", "real_time": 5, "time_unit": "s", "a": NaN, "b": -Infinity,
            "c": Infinity, "d": 3}]})");
    EXPECT_EQ(values_at(experiment, "BM \"NaN\"", "time", Values{8}), Values{5});
    EXPECT_EQ(values_at(experiment, "BM \"NaN\"", "d", Values{8}), Values{3});
    EXPECT_EQ(experiment.metrics.size(), 2U);
    EXPECT_EQ(
        error_of(
            R"({"context": {}, "benchmarks": [{"name": "BM/8", "real_time": 5, "time_unit": "parsec"}]})"),
        "profile: 'BM/8' is in 'parsec', which is no unit of time");
}

TEST(Hyperfine, TakesParametersAndEachRun) {
    const auto experiment = read_profile(
        R"({"results": [
          {"command": "./app --size 10 --at 100", "mean": 1.5, "user": 1.0, "system": 0.1, "times": [1.0, 2.0], "exit_codes": [0, 0],
           "memory_usage_byte": [100, 200], "parameters": {"n": "10"}},
          {"command": "./app --size 20 --at 100", "mean": 3.0, "user": 2.0, "system": 0.1, "times": [3.0, 4.0, 9.0], "exit_codes": [0, 0, 1],
           "parameters": {"n": "20"}}]})");
    EXPECT_EQ(experiment.parameter_names(), Names{"n"});
    const std::string region = "./app --size {n} --at 100";
    EXPECT_EQ(values_at(experiment, region, "time", Values{10}), (Values{1, 2}));
    EXPECT_EQ(values_at(experiment, region, "time", Values{20}), (Values{3, 4}));
    EXPECT_EQ(values_at(experiment, region, "memory", Values{10}), (Values{100, 200}));
    EXPECT_EQ(values_at(experiment, region, "user", Values{20}), Values{2});
    ASSERT_EQ(experiment.notes.size(), 1U);
    EXPECT_EQ(experiment.notes[0].message, "a run of './app --size 20 --at 100' failed, and is left out");
}

TEST(Hyperfine, HasCommandsThatDifferInWordsAsRegions) {
    const auto experiment = read_profile(
        R"({"results": [
          {"command": "sort -x 5", "mean": 1.5, "parameters": {"how": "-x", "n": "5"}},
          {"command": "sort -y 5", "mean": 2.5, "parameters": {"how": "-y", "n": "5"}}]})");
    EXPECT_EQ(values_at(experiment, "sort -x {n}", "time", Values{5}), Values{1.5});
    EXPECT_EQ(values_at(experiment, "sort -y {n}", "time", Values{5}), Values{2.5});
    EXPECT_EQ(error_of(R"({"results": [{"mean": 1, "commands": "", "command": 5}]})"),
              "profile: a result has no command");
}

/// A report with results of the commands, each with its parameters as JSON.
std::string hyperfine(const std::vector<std::pair<std::string, std::string>>& results) {
    std::string text;
    for (const auto& [command, parameters] : results) {
        text += (text.empty() ? "" : ",") + std::string(R"({"command": ")") + command +
                R"(", "mean": 1.5, "parameters": )" + parameters + "}";
    }
    return R"({"results": [)" + text + "]}";
}

Names regions_of(const experiment::Experiment& experiment) {
    Names names;
    for (const auto& region : experiment.regions) names.push_back(region.path);
    return names;
}

TEST(Hyperfine, KeepsDigitsThatAreTheValueOfAParameterByChance) {
    std::vector<std::pair<std::string, std::string>> results;
    for (const char* const n : {"1", "2", "4", "8", "16"})
        results.emplace_back(std::string("./app ") + n + " --threads 4",
                             std::string(R"({"n": ")") + n + "\"}");
    EXPECT_EQ(regions_of(read_profile(hyperfine(results))), Names{"./app {n} --threads 4"});
    // By chance at both values, at different places.
    EXPECT_EQ(regions_of(read_profile(hyperfine(
                  {{"./app 4 -t 4 -b 8", R"({"n": "4"})"}, {"./app 8 -t 4 -b 8", R"({"n": "8"})"}}))),
              Names{"./app {n} -t 4 -b 8"});
}

TEST(Hyperfine, TellsParametersOfEqualValuesApart) {
    std::vector<std::pair<std::string, std::string>> results;
    for (const std::string n : {"2", "4"}) {
        for (const std::string m : {"2", "4"})
            results.emplace_back(fmt::format("./app {} {}", m, n),
                                 fmt::format(R"({{"n": "{}", "m": {}}})", n, m));
    }
    EXPECT_EQ(regions_of(read_profile(hyperfine(results))), Names{"./app {m} {n}"});
    // Two commands that differ in a number.
    EXPECT_EQ(regions_of(read_profile(hyperfine({{"./app 2 -t 4", R"({"n": "2"})"},
                                                 {"./app 4 -t 4", R"({"n": "4"})"},
                                                 {"./app 2 -t 2", R"({"n": "2"})"},
                                                 {"./app 4 -t 2", R"({"n": "4"})"}}))),
              (Names{"./app {n} -t 4", "./app {n} -t 2"}));
}

TEST(Hyperfine, ReplacesAllPlacesOfAConstantParameterWhichOtherFilesMayVary) {
    EXPECT_EQ(regions_of(read_profile(hyperfine({{"./app 4 -o out4.4/4", R"({"n": "4"})"}}))),
              Names{"./app {n} -o out4.4/{n}"});
    std::string command = "./app";
    std::string general = "./app";
    for (int i = 0; i < 40; ++i) {
        command += " 4";
        general += " {n}";
    }
    EXPECT_EQ(regions_of(read_profile(hyperfine({{command, R"({"n": "4"})"}}))), Names{general});
}

}  // namespace
}  // namespace plimsoll::profile
