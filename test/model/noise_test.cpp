#include "plimsoll/model/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::model {
namespace {

experiment::Experiment measured(const std::vector<std::vector<double>>& runs) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p", "n"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    double p = 1.0;
    for (const std::vector<double>& values : runs) {
        builder.add_repetitions(series, builder.point(std::vector<double>{p, 10.0}, {}), values, {});
        p *= 2.0;
    }
    return builder.build();
}

Noise noise_in(const std::vector<std::vector<double>>& runs) {
    const experiment::Experiment experiment = measured(runs);
    return noise_of(experiment, experiment.series.front(), Statistic::mean);
}

TEST(Noise, IsTheDeviationOfOneRunOverItsPoint) {
    // Of two values 1 % above and below their mean, the deviation is 1 % times the root of two.
    const Noise noise = noise_in({{0.99, 1.01}, {2.02, 1.98}, {3.96, 4.04}});
    EXPECT_NEAR(noise.run_deviation, 0.01 * std::sqrt(2.0), 1e-12);
    EXPECT_FALSE(noise.drifts);
    EXPECT_TRUE(noise.outliers.empty());
}

TEST(Noise, NamesThePointOfAnOutlierAndLeavesItOut) {
    const Noise noise = noise_in({{1, 1.01, 0.99, 1}, {2, 2.02, 1.98, 2}, {4, 4.02, 40, 3.98}});
    ASSERT_EQ(noise.outliers.size(), 1U);
    EXPECT_EQ(noise.outliers.front().at, (std::vector<double>{4.0, 10.0}));
    EXPECT_EQ(noise.outliers.front().value, 40.0);
    EXPECT_EQ(noise.outliers.front().median, 4.01);
    EXPECT_LT(noise.run_deviation, 0.02);
}

TEST(Noise, IsUnknownWithoutRepetitions) { EXPECT_TRUE(std::isnan(noise_in({{1}, {2}, {3}}).run_deviation)); }

TEST(Noise, HasADocument) {
    JsonWriter json;
    write(json, noise_in({{1, 1.01, 0.99, 1}, {2, 2.02, 1.98, 2}, {4, 4.02, 40, 3.98}}), {"p", "n"});
    const auto document = nlohmann::json::parse(json.take());
    EXPECT_EQ(document["drifts"], false);
    EXPECT_EQ(document["outliers"][0]["at"]["p"], 4.0);
    EXPECT_EQ(document["outliers"][0]["value"], 40.0);
}

}  // namespace
}  // namespace plimsoll::model
