// Profiles of real runs against two independent readers: Extra-P's results and numbers from pycubexr.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "plimsoll/experiment/reader.hpp"
#include "test/support/golden.hpp"
#include "test/support/shared_data.hpp"

namespace plimsoll::experiment {
namespace {

/// The summary that scaling strong or weak_threaded asks for, computed here from the values of all locations.
numeric::Summary summary_of(const Series& series, const Measurement& measurement, std::string_view scaling) {
    const auto values = series.values_of(measurement);
    const auto locations = series.locations_of(measurement);
    std::vector<double> chosen;
    std::size_t begin = 0;
    for (std::uint32_t r = 0; r < measurement.repetitions; ++r) {
        const auto repetition = values.subspan(begin, locations.empty() ? 1 : locations[r]);
        begin += repetition.size();
        if (scaling == "strong") {
            double sum = 0.0;
            for (const double value : repetition) sum += value;
            chosen.push_back(sum);
        } else {
            const bool all_zero = std::ranges::all_of(repetition, [](double v) { return v == 0.0; });
            for (const double value : repetition) {
                if (all_zero || value != 0.0) chosen.push_back(value);
            }
        }
    }
    return numeric::summarize(std::span<double>(chosen));
}

Experiment with_scaling(Experiment experiment, std::string_view scaling) {
    for (Series& series : experiment.series) {
        for (Measurement& m : series.measurements) m.summary = summary_of(series, m, scaling);
    }
    return experiment;
}

/// Series that we have and Extra-P has not.
std::vector<std::string> additional_series(const Experiment& experiment, const std::string& golden_file) {
    std::ifstream stream(golden_file);
    const auto document = nlohmann::json::parse(stream);
    std::set<std::string> golden;
    for (const auto& pair : document["experiment"]["measurements"]) {
        golden.insert(pair["callpath"].get<std::string>() + " / " + pair["metric"].get<std::string>());
    }
    std::vector<std::string> additional;
    for (const Series& series : experiment.series) {
        const std::string name = experiment.region(series).path + " / " + experiment.metric(series).name;
        if (!golden.contains(name)) additional.push_back(name);
    }
    return additional;
}

class CubeGolden : public testing::TestWithParam<const char*> {};

TEST_P(CubeGolden, AgreesWithExtraP) {
    PLIMSOLL_SHARED_OR_SKIP(folder, std::string("data/extrap/cubeset/") + GetParam());
    PLIMSOLL_SHARED_OR_SKIP(goldens, "golden/extrap");
    const std::vector<std::string> paths{folder};
    const Experiment experiment = read(paths, {}, silent());
    int compared = 0;
    for (const std::string scaling : {"weak", "weak_threaded", "strong"}) {
        const std::string golden = goldens + "/cubeset__" + GetParam() + "." + scaling + ".json";
        if (!std::filesystem::exists(golden)) continue;  // not every combination was recorded
        SCOPED_TRACE(scaling);
        ++compared;
        const Experiment scaled = scaling == "weak" ? experiment : with_scaling(experiment, scaling);
        EXPECT_EQ(test::differences_from_golden(scaled, golden), "");
        EXPECT_EQ(additional_series(experiment, golden), std::vector<std::string>{});
    }
    EXPECT_GE(compared, 2);
}

INSTANTIATE_TEST_SUITE_P(Sets, CubeGolden,
                         testing::Values("allowed_formats", "extra_file", "extra_folder", "multi_parameter",
                                         "simple_threaded", "single_parameter"));

TEST(CubeReference, RefusesAnotherNameAndAcceptsAnotherOrderOfNames) {
    PLIMSOLL_SHARED_OR_SKIP(folder, "data/extrap/cubeset");
    const std::vector<std::string> other_name{folder + "/negative_example"};
    EXPECT_THROW((void)read(other_name, {}, silent()), Error);
    const std::vector<std::string> other_order{folder + "/negative_example2"};
    const Experiment experiment = read(other_order, {}, silent());
    ASSERT_EQ(experiment.parameters.size(), 1U);
    EXPECT_EQ(experiment.parameters[0].name, "x");
    EXPECT_EQ(experiment.coordinates, (std::vector{1.0, 10.0}));
}

std::vector<double> values_of(const Experiment& experiment, std::string_view path, std::string_view metric) {
    for (const Series& series : experiment.series) {
        if (experiment.region(series).path == path && experiment.metric(series).name == metric)
            return series.values;
    }
    return {};
}

// The numbers are from pycubexr 2.1.1: MetricValues.cnode_values(cnode, convert_to_exclusive=True) of the
// same files.
TEST(CubeReference, AgreesWithPycubexrOnAThreadedProfile) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/extrap/cubeset/simple_threaded/example.f2/cube-example2.cubex");
    const std::vector<std::string> paths{file};
    const Experiment experiment = read(paths, {}, silent());
    const std::vector<double> main_time{2.5999999999999996, 0.0, 3.000000000000001,
                                        0.0};  // stored inclusively
    EXPECT_EQ(values_of(experiment, "main", "time"), main_time);
    EXPECT_EQ(values_of(experiment, "main->omp parallel", "time"), (std::vector{7.0, 6.4, 6.8, 6.2}));
    EXPECT_EQ(values_of(experiment, "main->zero", "time"), std::vector<double>{});  // has no row there
    EXPECT_EQ(values_of(experiment, "main->zero", "visits"), (std::vector{1.0, 0.0, 1.0, 0.0}));
    EXPECT_EQ(values_of(experiment, "main->bar", "visits"), (std::vector{14.0, 0.0, 14.0, 0.0}));
}

TEST(CubeReference, AgreesWithPycubexrOnACompressedProfile) {
    PLIMSOLL_SHARED_OR_SKIP(file, "data/extrap/cubeset/single_parameter/mm.x500y1z1.r1/profile.cubex");
    const std::vector<std::string> paths{file};
    const Experiment experiment = read(paths, {}, silent());
    EXPECT_EQ(values_of(experiment, "main", "time"), std::vector{1.2366e-05});
    EXPECT_EQ(values_of(experiment, "main->init_mat", "time"), std::vector{7.969e-06});
    EXPECT_EQ(values_of(experiment, "main->init_mat", "max_time"), std::vector{6.96e-06});
    EXPECT_EQ(values_of(experiment, "main->mat_mul", "PAPI_FP_OPS"), std::vector{1008.0});
    EXPECT_EQ(values_of(experiment, "main", "PAPI_L2_TCM"), std::vector{222.0});
    EXPECT_EQ(values_of(experiment, "main->init_mat", "visits"), std::vector{2.0});
}

}  // namespace
}  // namespace plimsoll::experiment
