#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"
#include "test/support/planted_training.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/shared_data.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using nlohmann::json;
using test::read_profile;
using test::read_profiles;
using test::values_at;
using Values = std::vector<double>;

json events_of(const std::string& file) {
    json document = json::parse(Input(file).rest());
    return document.is_array() ? document : document["traceEvents"];
}

/// The sum of all values of a metric over the regions whose path begins so.
double sum_of(const experiment::Experiment& experiment, const std::string& metric,
              const std::string& prefix) {
    double sum = 0.0;
    for (const auto& series : experiment.series) {
        if (experiment.metric(series).name != metric || !experiment.region(series).path.starts_with(prefix))
            continue;
        for (const double value : series.values) sum += value;
    }
    return sum;
}

/// Counted over the events themselves: what begins within a step.
struct Counted {
    double kernel_us = 0.0;
    int kernels = 0;
    double bytes = 0.0;
    double step_us = 0.0;
};

Counted count(const json& events) {
    std::vector<std::pair<double, double>> steps;
    std::vector<std::pair<double, double>> device_steps;
    for (const json& event : events) {
        if (!event.value("name", "").starts_with("ProfilerStep#")) continue;
        const double begin = event["ts"].get<double>();
        auto& list = event["cat"] == "user_annotation" ? steps : device_steps;
        list.emplace_back(begin, begin + event["dur"].get<double>());
    }
    Counted counted;
    for (const auto& [begin, end] : steps) counted.step_us += end - begin;
    const auto& for_device = device_steps.empty() ? steps : device_steps;
    for (const json& event : events) {
        if (event.value("cat", "") != "kernel") continue;
        const double begin = event["ts"].get<double>();
        const bool inside =
            steps.empty() || std::any_of(for_device.begin(), for_device.end(), [&](const auto& step) {
                return step.first <= begin && begin < step.second;
            });
        if (!inside) continue;
        ++counted.kernels;
        counted.kernel_us += event["dur"].get<double>();
        const json arguments = event.value("args", json::object());
        if (arguments.contains("Collective name")) {
            const std::map<std::string, double> sizes{{"Float", 4.0}, {"Long", 8.0}};
            counted.bytes += sizes.at(arguments["dtype"]) * arguments["In msg nelems"].get<double>();
        }
    }
    return counted;
}

TEST(Kineto, AgreesWithAPlainCountOnEveryFixture) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/kineto-hta");
    int read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string file = entry.path().string();
        if (!entry.is_regular_file() || file.find(".json") == std::string::npos ||
            file.ends_with("_et.json.gz"))
            continue;
        SCOPED_TRACE(file);
        const auto experiment = read_profiles(std::array{file});
        const Counted counted = count(events_of(file));
        EXPECT_NEAR(sum_of(experiment, "time", "kernel->") + sum_of(experiment, "time", "collective->"),
                    1e-6 * counted.kernel_us, 1e-9);
        EXPECT_EQ(sum_of(experiment, "visits", "kernel->") + sum_of(experiment, "visits", "collective->"),
                  counted.kernels);
        EXPECT_NEAR(sum_of(experiment, "time", "step"), 1e-6 * counted.step_us, 1e-9);
        EXPECT_EQ(sum_of(experiment, "bytes", "collective->"), counted.bytes);
        ++read;
    }
    EXPECT_EQ(read, 12);
}

TEST(Kineto, PutsTheRanksOfAStepTogether) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/realworld/format-fixtures/kineto-hta/trace_filter");
    const auto experiment = read_profiles(std::array{folder});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    const Values times = values_at(experiment, "step", "time", Values{128});
    // Steps 551 and 552 of ranks 0 and 1, as the files have them.
    const Values expected{0.607312, 0.607904, 0.622928, 0.630639};
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(times[i], expected[i]);
    EXPECT_EQ(test::find_series(experiment, "step", "time")->measurements.front().repetitions, 2U);
}

json event(const char* category, const std::string& name, double begin, double duration, int thread = 1) {
    return {{"ph", "X"},     {"cat", category}, {"name", name},   {"pid", 1},
            {"tid", thread}, {"ts", begin},     {"dur", duration}};
}

TEST(Kineto, NestsWhatRunsOnAThread) {
    const json events{event("cpu_op", "linear", 100, 50),
                      event("cpu_op", "addmm", 110, 30),
                      event("cuda_runtime", "launch", 115, 5),
                      event("cpu_op", "addmm", 150, 10),     // begins where linear ends
                      event("cpu_op", "addmm", 112, 20, 2),  // on another thread
                      {{"ph", "s"}, {"cat", "ac2g"}, {"name", "ac2g"}, {"id", 1}, {"ts", 1}},
                      event("cpu_op", "linear", 200, 10)};
    const auto experiment = read_profile(events.dump());
    const Values at{1};
    EXPECT_NEAR(values_at(experiment, "cpu->linear", "time", at).at(0), 30e-6, 1e-12);
    EXPECT_EQ(values_at(experiment, "cpu->linear", "visits", at), Values{2});
    EXPECT_NEAR(values_at(experiment, "cpu->linear->addmm", "time", at).at(0), 25e-6, 1e-12);
    EXPECT_NEAR(values_at(experiment, "cpu->linear->addmm->launch", "time", at).at(0), 5e-6, 1e-12);
    EXPECT_NEAR(values_at(experiment, "cpu->addmm", "time", at).at(0), 30e-6, 1e-12);
}

test::PlantedTraining planted(int rank, int ranks, int n, int steps) {
    return {.step = {.copy = 1e-6,
                     .copied_bytes = 64.0 * n,
                     .forward = 2e-6 * n,
                     .backward = 3e-6 * n,
                     .reduce = 5e-6 * std::log2(ranks),
                     .reduced_elements = 1.0 * n,
                     .hidden = 0.4,
                     .idle = 10e-6},
            .rank = rank,
            .ranks = ranks,
            .steps = steps,
            .batch_size = 1.0 * n};
}

TEST(Kineto, FindsPlantedLawsInRunsOfSeveralRanks) {
    const test::TemporaryFolder folder;
    for (const int p : {2, 4, 8}) {
        for (const int n : {100, 200}) {
            for (int rank = 0; rank < p; ++rank) {
                (void)folder.write(fmt::format("{} x {}/rank{}.json", p, n, rank),
                                   kineto_trace(planted(rank, p, n, 3)));
            }
        }
    }
    const auto experiment = read_profiles(std::array{folder.path().string()});
    EXPECT_EQ(experiment.parameter_names(), (std::vector<std::string>{"p", "batch_size"}));
    EXPECT_EQ(experiment.metadata.at("device"), "\"Planted GPU\"");
    for (const double p : {2.0, 4.0, 8.0}) {
        for (const double n : {100.0, 200.0}) {
            SCOPED_TRACE(fmt::format("p = {}, n = {}", p, n));
            const test::PlantedStep step = planted(0, static_cast<int>(p), static_cast<int>(n), 3).step;
            const auto expect = [&](const std::string& region, double value, const char* metric = "time") {
                SCOPED_TRACE(region);
                const auto values = values_at(experiment, region, metric, Values{p, n});
                ASSERT_EQ(values.size(), 3 * static_cast<std::size_t>(p));
                for (const double found : values) EXPECT_NEAR(found, value, 3e-9);
            };
            const std::string collective = "collective->allreduce";  // of all ranks
            expect("step", step.duration());
            expect("kernel->gemm", step.forward);
            expect(collective, step.reduce);
            expect(collective, 4 * n, "bytes");
            expect("memcpy->Memcpy HtoD (Pinned to Device)", 64 * n, "bytes");
            expect("cpu->forward", step.copy + step.forward, "device_time");
            expect("cpu->backward", step.backward, "device_time");
            expect("device->computation", step.forward + step.backward);
            expect("device->communication", step.reduce);
            expect("device->exposed communication", 0.6 * step.reduce);
            expect("device->memory", step.copy);
            expect("device->idle", step.idle);
        }
    }
    EXPECT_EQ(test::find_series(experiment, "kernel->between", "time"), nullptr);
    ASSERT_FALSE(experiment.notes.empty());
    EXPECT_EQ(experiment.notes[0].message, "left out: 1 event outside of the steps");
}

TEST(Kineto, TakesASecondTraceOfARankForAnotherRun) {
    const test::TemporaryFolder folder;
    for (const char* const name : {"first", "second"}) {
        for (int rank = 0; rank < 2; ++rank)
            (void)folder.write(fmt::format("{}-{}.json", name, rank), kineto_trace(planted(rank, 2, 100, 3)));
    }
    const auto experiment = read_profiles(std::array{folder.path().string()});
    const auto& measurement = test::find_series(experiment, "step", "time")->measurements.front();
    EXPECT_EQ(measurement.repetitions, 6U);  // three steps of two runs
    EXPECT_EQ(values_at(experiment, "step", "time", Values{2}).size(), 12U);
}

TEST(Kineto, HasNoTimeForWhatDidNotHappenInAStep) {
    const json events{event("user_annotation", "ProfilerStep#1", 0, 100),
                      event("user_annotation", "ProfilerStep#2", 100, 60),
                      event("cpu_op", "checkpoint", 10, 20), event("kernel", "save", 20, 5)};
    const auto experiment = read_profile(events.dump());
    const Values at{1};
    EXPECT_EQ(values_at(experiment, "cpu->checkpoint", "visits", at), (Values{1, 0}));
    const Values idle = values_at(experiment, "device->idle", "time", at);
    ASSERT_EQ(idle.size(), 2U);
    EXPECT_NEAR(idle[0], 95e-6, 1e-12);
    EXPECT_NEAR(idle[1], 60e-6, 1e-12);
}

TEST(Kineto, TakesMarkedValidationForStepsOfTheirOwn) {
    const json events{event("user_annotation", "ProfilerStep#1", 0, 100),
                      event("cpu_op", "linear", 10, 20),
                      event("user_annotation", "validation_step 0", 150, 30),
                      event("cpu_op", "linear", 160, 10),
                      event("user_annotation", "validation_step 1", 180, 40),
                      event("user_annotation", "val_step 1", 181, 5),  // the same, marked once more
                      event("user_annotation", "ProfilerStep#2", 220, 80),
                      event("user_annotation", "validation_step 0", 230, 15)};
    const auto experiment = read_profile(events.dump());
    const Values at{1};
    const auto expect_times = [&](const char* region, const Values& expected) {
        SCOPED_TRACE(region);
        const Values times = values_at(experiment, region, "time", at);
        ASSERT_EQ(times.size(), expected.size());
        for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-12);
    };
    expect_times("step", {100e-6, 80e-6});
    expect_times("validation->step", {30e-6, 40e-6});
    expect_times("cpu->linear", {20e-6, 0.0});
    expect_times("validation->cpu->linear", {10e-6, 0.0});
    // Within a step of training it is a part of that step.
    expect_times("cpu->validation_step 0", {0.0, 15e-6});
}

TEST(Kineto, TellsWhatItCannotRead) {
    json begin{{"ph", "B"}, {"ts", 1.0}, {"name", "solve"}};
    const json events{
        event("cpu_op", "linear", 100, 50), begin, {{"ph", "i"}, {"ts", 2.0}}, event("overhead", "x", 1, 1)};
    const auto experiment = read_profile(events.dump());
    ASSERT_EQ(experiment.notes.size(), 4U);
    EXPECT_EQ(experiment.notes[0].message, "left out: 1 event with a begin or an end alone (B, E)");
    EXPECT_FALSE(experiment.notes[0].is_detail);
    EXPECT_EQ(experiment.notes[1].message, "left out: 1 event without a duration");
    EXPECT_EQ(experiment.notes[2].message, "left out: 1 event of other categories, overhead");
}

TEST(Kineto, BoundsHowDeepItNests) {
    json events;
    for (int i = 0; i < 3000; ++i) events.push_back(event("cpu_op", "f", i, 10000 - 2 * i));
    const auto experiment = read_profile(events.dump());
    double own = 0.0;
    for (const auto& series : experiment.series) {
        if (experiment.metric(series).name == "time") own += series.values.front();
    }
    EXPECT_NEAR(own, 1e-2, 1e-9);  // nothing is lost
    EXPECT_EQ(experiment.notes[0].message, "2000 events below 1000 levels count for what is above them");
}

// What is said of the whole job may stand behind the events.
TEST(Kineto, NamesCollectivesOfAllRanksWithoutTheirNumberWhereverThatIsSaid) {
    json trace = json::parse(kineto_trace(planted(0, 4, 100, 2)));
    const std::string events = trace["traceEvents"].dump();
    const std::string info = trace["distributedInfo"].dump();
    for (const bool is_first : {true, false}) {
        const std::string text =
            is_first ? fmt::format(R"({{"distributedInfo": {}, "traceEvents": {}}})", info, events)
                     : fmt::format(R"({{"traceEvents": {}, "distributedInfo": {}}})", events, info);
        const auto experiment = read_profile(text);
        EXPECT_EQ(values_at(experiment, "collective->allreduce", "visits", Values{4}), (Values{1, 1}))
            << is_first;
    }
}

// Since 1970 there have been more microseconds than a double tells nanoseconds of.
TEST(Kineto, KeepsNestingBelowAMicrosecond) {
    std::string events;
    for (int i = 0; i < 200; ++i) {
        const double begin = i * 50.0;
        const auto event = [&](const char* name, double from, double duration) {
            const auto whole = static_cast<std::int64_t>(from);
            return fmt::format(
                R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "tid": 1, "ts": {}.{:03}, "dur": {}}})", name,
                std::int64_t{1'760'000'000'000'000} + whole,
                std::lround(1000 * (from - static_cast<double>(whole))), duration);
        };
        const double inner_begin = begin + 0.001 * (i % 997);
        events += (events.empty() ? "" : ",") + event("outer", begin, 40.0) + "," +
                  event("inner", inner_begin, 40.0 - 0.001 * (i % 997) - 0.001 * (i % 50));
    }
    const auto experiment = read_profile(fmt::format(R"({{"traceEvents": [{}]}})", events));
    EXPECT_EQ(values_at(experiment, "cpu->outer->inner", "visits", Values{1}), Values{200});
    EXPECT_EQ(values_at(experiment, "cpu->inner", "visits", Values{1}), Values());
}

TEST(Kineto, FindsStepsThatNobodyMarked) {
    json trace = json::parse(kineto_trace(planted(0, 2, 100, 8)));
    for (json& event : trace["traceEvents"]) {
        if (event["name"].get<std::string>().starts_with("ProfilerStep#")) event["name"] = "my loop";
    }
    const auto unmarked = read_profile(trace.dump());
    EXPECT_EQ(values_at(unmarked, "step", "time", Values{2}), Values()) << "they were not asked for";
    const auto found = read_profile(trace.dump(), "profile", {.steps = StepSearch::period});
    const auto marked = read_profile(kineto_trace(planted(0, 2, 100, 8)));
    const std::vector<double> times = values_at(found, "step", "time", Values{2});
    const std::vector<double> expected = values_at(marked, "step", "time", Values{2});
    ASSERT_EQ(times.size(), 7U) << "of the last one the end is not known";
    for (std::size_t i = 0; i < times.size(); ++i)
        EXPECT_NEAR(times[i], expected[i] + 1e-6, 1e-9) << i;  // with what lies between
    EXPECT_NE(std::find_if(
                  found.notes.begin(), found.notes.end(),
                  [](const experiment::Note& note) {
                      return note.message ==
                             "no step is marked: 7 steps are found by what the device does again and again";
                  }),
              found.notes.end());
    for (const char* const region : {"device->computation", "device->exposed communication"}) {
        const std::vector<double> parts = values_at(found, region, "time", Values{2});
        ASSERT_EQ(parts.size(), 7U);
        for (std::size_t i = 0; i < parts.size(); ++i)
            EXPECT_NEAR(parts[i], values_at(marked, region, "time", Values{2})[i], 1e-9) << region;
    }
}

TEST(Kineto, SaysWhatIsWrongWhere) {
    const auto error_of = [](const std::string& text) {
        try {
            (void)read_profile(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string trace = kineto_trace(planted(0, 2, 10, 2));
    EXPECT_EQ(error_of(trace.substr(0, trace.size() - 30)).substr(0, 57),
              "profile: the JSON text ends within a value that begins at");
    EXPECT_EQ(error_of(R"({"traceEvents": [7]})"), "profile: an event is no JSON object at byte 17");
    EXPECT_EQ(error_of(R"({"traceEvents": [{"ph": "X", "ts": "x"}]})"),
              "profile: 'ts' of an event is damaged at byte 17");
    EXPECT_EQ(error_of(R"({"traceEvents": []})"), "profile: holds no measurements");
}

}  // namespace
}  // namespace plimsoll::profile
