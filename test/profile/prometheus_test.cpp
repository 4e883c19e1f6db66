#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "test/support/profile_errors.hpp"
#include "test/support/read_profiles.hpp"

namespace plimsoll::profile {
namespace {

using test::notes_of;
using test::read_profile;
using test::values_at;
using Values = std::vector<double>;
using Samples = std::vector<std::pair<double, std::string>>;

std::string unit_of(const experiment::Experiment& experiment, const std::string& metric) {
    const auto* const series = test::find_series(experiment, "run", metric);
    return series == nullptr ? "absent" : experiment.metric(*series).unit;
}

/// A time series of a range query; labels are JSON.
std::string series(const std::string& labels, const Samples& samples) {
    std::string text = "{\"metric\":{" + labels + "},\"values\":[";
    for (std::size_t i = 0; i < samples.size(); ++i)
        text += fmt::format("{}[{},\"{}\"]", i == 0 ? "" : ",", samples[i].first, samples[i].second);
    return text + "]}";
}

std::string answer(const std::vector<std::string>& all, const std::string& type = "matrix") {
    std::string text = R"({"status":"success","data":{"resultType":")" + type + R"(","result":[)";
    for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : ",") + all[i];
    return text + "]}}";
}

Values run_values(const experiment::Experiment& experiment, const std::string& metric,
                  const std::string& region = "run") {
    return values_at(experiment, region, metric, Values{1});
}

// 100 W for 10 s, then evenly up to 300 W within 20 s: 1000 J and 4000 J.
TEST(Prometheus, WeightsGaugesByTime) {
    const auto experiment =
        read_profile(answer({series(R"("__name__":"node_power_watts","instance":"n1:9100","job":"node")",
                                    {{1000, "100"}, {1010, "100"}, {1030, "300"}})}));
    EXPECT_EQ(run_values(experiment, "node_power_watts"), Values{5000.0 / 30.0});
    EXPECT_EQ(run_values(experiment, "node_power_joules"), Values{5000});
    EXPECT_EQ(unit_of(experiment, "node_power_watts"), "W");
    EXPECT_EQ(unit_of(experiment, "node_power_joules"), "J");
    EXPECT_EQ(experiment.metadata.count("instance"), 1U);
}

TEST(Prometheus, KeepsEnergyThatWasMeasured) {
    const std::string watts = series(R"("__name__":"node_watts")", {{0, "100"}, {10, "100"}});
    const auto gauge =
        read_profile(answer({watts, series(R"("__name__":"node_joules")", {{0, "990"}, {10, "990"}})}));
    EXPECT_EQ(run_values(gauge, "node_joules"), Values{990});
    const auto counter =
        read_profile(answer({series(R"("__name__":"node_joules_total")", {{0, "5"}, {10, "995"}}), watts}));
    EXPECT_EQ(run_values(counter, "node_joules_total"), Values{990});
    EXPECT_EQ(run_values(counter, "node_joules"), Values{});
    EXPECT_EQ(run_values(read_profile(answer({watts})), "node_joules"), Values{1000});
}

TEST(Prometheus, TakesTheIncreaseOfCounters) {
    const auto experiment = read_profile(answer({
        // 5 to 9, begun anew: 2, 6
        series(R"("__name__":"bytes_sent_total")", {{0, "5"}, {10, "9"}, {20, "2"}, {30, "6"}}),
        series(R"("__name__":"request_seconds_sum")", {{0, "1.5"}, {10, "1.75"}}),
        series(R"("__name__":"request_seconds_count")", {{0, "4"}, {10, "6"}, {20, "1"}}),
        // has no sum, so it is none
        series(R"("__name__":"thread_count")", {{0, "2"}, {10, "4"}}),
        series(R"("__name__":"energy_joules_total")", {{0, "1e+06"}, {10, "1.5e+06"}}),
    }));
    EXPECT_EQ(run_values(experiment, "bytes_sent_total"), Values{(9 - 5) + 2 + (6 - 2)});
    EXPECT_EQ(run_values(experiment, "request_seconds_sum"), Values{0.25});
    EXPECT_EQ(run_values(experiment, "request_seconds_count"), Values{(6 - 4) + 1});
    EXPECT_EQ(run_values(experiment, "thread_count"), Values{3});
    EXPECT_EQ(run_values(experiment, "energy_joules_total"), Values{5e5});
    EXPECT_EQ(unit_of(experiment, "energy_joules_total"), "J");
    EXPECT_EQ(unit_of(experiment, "request_seconds_sum"), "s");
    EXPECT_EQ(unit_of(experiment, "thread_count"), "");
}

TEST(Prometheus, HasARegionForWhatLabelsTellApartAndALocationForEachInstance) {
    std::vector<std::string> all;
    for (const char* const instance : {"n2", "n1"}) {
        for (const char* const mode : {"user", "idle"}) {
            const double end = (mode[0] == 'u' ? 3 : 40) + (instance[1] == '1' ? 100 : 0);
            all.push_back(
                series(fmt::format(R"("__name__":"cpu_seconds_total","instance":"{}","mode":"{}","zone":"a")",
                                   instance, mode),
                       {{0, "0"}, {60, fmt::format("{}", end)}}));
        }
        all.push_back(series(fmt::format(R"("__name__":"memory_bytes","instance":"{}","zone":"a")", instance),
                             {{0, instance[1] == '1' ? "1024" : "2048"}}));
    }
    const auto experiment = read_profile(answer(all));
    EXPECT_EQ(run_values(experiment, "cpu_seconds_total", "mode=user"), (Values{103, 3})) << "n1, n2";
    EXPECT_EQ(run_values(experiment, "cpu_seconds_total", "mode=idle"), (Values{140, 40}));
    EXPECT_EQ(run_values(experiment, "memory_bytes"), (Values{1024, 2048}));
    EXPECT_EQ(experiment.metadata.at("zone"), "\"a\"");
    EXPECT_EQ(experiment.regions.size(), 3U);
}

TEST(Prometheus, JoinsInstancesWhereNotEachHasEverything) {
    const auto experiment = read_profile(answer({
        series(R"("__name__":"load","instance":"n1")", {{0, "2"}, {10, "2"}}),
        series(R"("__name__":"load","instance":"n2")", {{0, "4"}, {10, "4"}}),
        series(R"("__name__":"switch_power_watts","instance":"s1")", {{0, "50"}, {10, "50"}}),
        series(R"("__name__":"sent_total","instance":"n1")", {{0, "0"}, {10, "7"}}),
        series(R"("__name__":"sent_total","instance":"n2")", {{0, "0"}, {10, "8"}}),
    }));
    EXPECT_EQ(run_values(experiment, "load"), Values{3});
    EXPECT_EQ(run_values(experiment, "switch_power_watts"), Values{50});
    EXPECT_EQ(run_values(experiment, "switch_power_joules"), Values{500});
    EXPECT_EQ(run_values(experiment, "sent_total"), Values{15});
    EXPECT_NE(
        notes_of(experiment)
            .find(
                "not every instance has 'load', 'sent_total', 'switch_power_joules', 'switch_power_watts': "),
        std::string::npos);
}

// An instance has one place for all metrics, and none is made up for a metric that it lacks.
TEST(Prometheus, NumbersInstancesOverAllMetrics) {
    const auto all_of = [](const char* const metric, const Samples& n1, const Samples& n2) {
        return std::vector<std::string>{
            series(fmt::format(R"("__name__":"{}","instance":"n1")", metric), n1),
            series(fmt::format(R"("__name__":"{}","instance":"n2")", metric), n2)};
    };
    auto rows = all_of("load", {{0, "2"}, {10, "2"}}, {{0, "4"}, {10, "4"}});
    // Of errors, n1 has those of one code alone: it counts none of the other.
    rows.push_back(series(R"("__name__":"errors_total","instance":"n1","code":"4")", {{0, "0"}, {10, "1"}}));
    rows.push_back(series(R"("__name__":"errors_total","instance":"n2","code":"5")", {{0, "0"}, {10, "7"}}));
    const auto complete = read_profile(answer(rows));
    EXPECT_EQ(run_values(complete, "load"), (Values{2, 4}));
    EXPECT_EQ(run_values(complete, "errors_total", "code=4"), (Values{1, 0}));
    EXPECT_EQ(run_values(complete, "errors_total", "code=5"), (Values{0, 7}));
    EXPECT_TRUE(complete.notes.empty() || notes_of(complete).find("instance") == std::string::npos);

    rows.push_back(series(R"("__name__":"sent_total","instance":"n2")", {{0, "0"}, {10, "7"}}));
    const auto partial = read_profile(answer(rows));
    EXPECT_EQ(run_values(partial, "sent_total"), Values{7});
    EXPECT_EQ(run_values(partial, "load"), Values{3});
    EXPECT_EQ(run_values(partial, "errors_total", "code=5"), Values{7});
    EXPECT_NE(notes_of(partial).find("not every instance has 'sent_total': values are sums of counters and "
                                     "means of others over instances\n"),
              std::string::npos)
        << notes_of(partial);
}

TEST(Prometheus, LeavesOutWhatIsNoFiniteNumber) {
    const auto experiment = read_profile(answer({
        series(R"("__name__":"load")", {{0, "NaN"}, {10, "2"}, {20, "+Inf"}, {30, "4"}, {40, "-Inf"}}),
        series(R"("__name__":"sent_total")", {{0, "7"}}),
        R"({"metric":{"__name__":"latency"},"histograms":[[1,{}]]})",
    }));
    EXPECT_EQ(run_values(experiment, "load"), Values{3});
    EXPECT_EQ(test::find_series(experiment, "run", "sent_total"), nullptr);
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("3 samples are no finite numbers, and left out\n"), std::string::npos) << notes;
    EXPECT_NE(notes.find("a counter has no increase from one sample alone: 'sent_total' is left out\n"),
              std::string::npos)
        << notes;
    EXPECT_NE(notes.find("'latency' is a native histogram, and is left out\n"), std::string::npos) << notes;
}

TEST(Prometheus, ReadsAnInstantAndExpressionsWithoutAName) {
    const auto experiment =
        read_profile(answer({R"({"metric":{},"value":[1700000000.123,"12.5"]})"}, "vector"));
    EXPECT_EQ(run_values(experiment, "value"), Values{12.5});
    const auto total =
        read_profile(answer({R"({"metric":{"__name__":"a_total"},"value":[1,"9"]})"}, "vector"));
    EXPECT_EQ(run_values(total, "a_total"), Values{9});
}

TEST(Prometheus, SaysWhatIsWrongWhere) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {R"({"status":"error","errorType":"bad_data","error":"parse error at char 3"})",
         "profile: Prometheus answered with an error: parse error at char 3"},
        {R"({"status":"success","data":{"resultType":"string","result":[1,"a"]}})",
         "profile: holds a result of type 'string', not of type 'matrix' or 'vector'"},
        {R"({"status":"success","data":[],"resultType":0})", "profile: holds no 'data' of an answer"},
        {answer({"5"}), "profile: result 1 is no time series"},
        {answer({R"({"metric":{"__name__":"a"}})"}), "profile: result 1 ('a') has no values"},
        {answer({series(R"("__name__":"a")", {{1, "1"}}), series(R"("__name__":"b")", {{1, "1"}, {2, "x"}})}),
         "profile: a sample of result 2 ('b') is no number: 'x'"},
        {answer({R"({"metric":{"__name__":"a"},"values":[[1,2]]})"}),
         "profile: a sample of result 1 ('a') is not [time, \"value\"]"},
        {answer({R"({"metric":{"__name__":"a"},"values":[["1","2"]]})"}),
         "profile: a sample of result 1 ('a') is not [time, \"value\"]"},
        {answer({R"({"metric":{"__name__":"a"},"values":[[1e999,"2"]]})"}),
         "profile: a number is too large for any computer"},
        {answer({series(R"("__name__":"a")", {{1, "1"}}),
                 series(R"("__name__":"b_total")", {{1, "-1e308"}, {2, "1e308"}})}),
         "profile: the values of result 2 ('b_total') are too large to add up"},
        {answer({series(R"("__name__":"c_watts")", {{0, "1e308"}, {10, "1e308"}})}),
         "profile: the values of result 1 ('c_watts') are too large to add up"},
        {answer({}).substr(0, 60), "profile:1: the JSON text ends too early"},
        {answer({}), "profile: holds no measurements"},
    };
    test::expect_errors(wrong);
}

}  // namespace
}  // namespace plimsoll::profile
