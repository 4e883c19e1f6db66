#include "plimsoll/model/detail/posterior/noise_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::model::detail {
namespace {

/// 25 points with four repetitions each, of values 10, 20, ...: independent, or each a step from the one
/// before.
experiment::Experiment noisy(double deviation, bool follows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0.0, deviation);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    for (int i = 1; i <= 25; ++i) {
        double value = 10.0 * i;
        std::vector<double> runs;
        for (int r = 0; r < 4; ++r) {
            if (follows) {
                value *= 1.0 + normal(random);
            } else {
                value = 10.0 * i * (1.0 + normal(random));
            }
            runs.push_back(value);
        }
        builder.add_repetitions(series, builder.point(std::vector<double>{static_cast<double>(i)}, {}), runs,
                                {});
    }
    return builder.build();
}

TEST(ReadNoise, MeasuresTheDeviationOfOneRun) {
    double sum = 0.0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const NoiseEvidence noise = read_noise(noisy(0.05, false, seed).series.front(), Statistic::mean);
        sum += noise.run_deviation * noise.run_deviation;
        ASSERT_EQ(noise.priors.size(), 2U);
        EXPECT_EQ(noise.priors[0].degrees_of_freedom, 75.0);
    }
    // 40 x 75 degrees of freedom: the variance is known to 2.6 %.
    EXPECT_NEAR(sum / 40.0 / 0.0025, 1.0, 0.1);
}

TEST(ReadNoise, NoticesRepetitionsThatFollowOnOneAnother) {
    int noticed = 0;
    int false_alarms = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        noticed += read_noise(noisy(0.05, true, seed).series.front(), Statistic::mean).drifts ? 1 : 0;
        false_alarms += read_noise(noisy(0.05, false, seed).series.front(), Statistic::mean).drifts ? 1 : 0;
    }
    EXPECT_GE(noticed, 95);
    EXPECT_LE(false_alarms, 5);
}

TEST(ReadNoise, TakesTheFirstRepetitionWhereTheyDrift) {
    const experiment::Experiment experiment = noisy(0.05, true, 3);
    const experiment::Series& series = experiment.series.front();
    const NoiseEvidence noise = read_noise(series, Statistic::mean);
    ASSERT_TRUE(noise.drifts);
    for (std::size_t i = 0; i < series.measurements.size(); ++i) {
        EXPECT_EQ(noise.values[i], series.values_of(series.measurements[i]).front());
    }
}

TEST(ReadNoise, LeavesOutAndNamesWhatIsFarOff) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    const std::vector<std::vector<double>> runs{
        {4, 4.1, 3.9, 4, 40}, {8, 8.1, 7.9, 8, 8.1}, {16, 16.2, 15.9, 16, 15}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double p = std::pow(2.0, static_cast<double>(i));
        builder.add_repetitions(series, builder.point({&p, 1}, {}), runs[i], {});
    }
    const experiment::Experiment experiment = builder.build();
    const NoiseEvidence noise = read_noise(experiment.series.front(), Statistic::mean);
    ASSERT_EQ(noise.outliers.size(), 1U);
    EXPECT_EQ(noise.outliers.front().point, 0U);
    EXPECT_EQ(noise.outliers.front().value, 40.0);
    EXPECT_DOUBLE_EQ(noise.values[0], 4.0);
    EXPECT_LT(noise.run_deviation, 0.05);
    EXPECT_EQ(read_noise(experiment.series.front(), Statistic::maximum).values[0], 40.0) << "asked for";
}

TEST(ReadNoise, TakesHeavyNoiseAsNoise) {
    int outliers = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        outliers += static_cast<int>(
            read_noise(noisy(0.3, false, seed).series.front(), Statistic::mean).outliers.size());
    }
    EXPECT_EQ(outliers, 0);
}

TEST(ReadNoise, GuessesWhereThereIsOneRun) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    for (const double p : {1.0, 2.0, 4.0})
        builder.add_repetitions(series, builder.point({&p, 1}, {}), {&p, 1}, {});
    const NoiseEvidence noise = read_noise(builder.build().series.front(), Statistic::mean);
    EXPECT_TRUE(std::isnan(noise.run_deviation));
    double weight = 0.0;
    for (const NoisePrior& prior : noise.priors) weight += std::exp(prior.log_weight);
    EXPECT_NEAR(weight, 1.0, 1e-12);
    EXPECT_LE(noise.priors.front().variance, 1e-8);
    EXPECT_GE(noise.priors.back().variance, 0.04);
}

TEST(ReadNoise, TakesEqualRepetitionsForNoDrift) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
        const std::vector<double> runs{p, p, p, p, p == 64.0 || p == 32.0 ? p - 1.0 : p};
        builder.add_repetitions(series, builder.point(std::vector<double>{p}, {}), runs, {});
    }
    EXPECT_FALSE(read_noise(builder.build().series.front(), Statistic::mean).drifts);
}

TEST(ReadNoise, CountsRepetitionsRelativeToTheirMeanWithoutSingleValuesToo) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    for (const double p : {4.0, 8.0, 16.0}) {
        builder.add_summary(series, builder.point(std::vector<double>{p}, {}), {.mean = p, .median = p},
                            false, p == 4.0 ? 200 : 50, {});
    }
    const NoiseEvidence noise = read_noise(builder.build().series.front(), Statistic::mean);
    ASSERT_EQ(noise.runs.size(), 3U);
    EXPECT_NEAR(noise.runs[0], 2.0, 1e-12);
    EXPECT_NEAR(noise.runs[1], 0.5, 1e-12);
}

TEST(ReadNoise, CountsPointsByTheirRepetitions) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("r"), builder.metric("time"));
    const std::vector<double> at{1.0, 2.0};
    const std::vector<double> many{1.0, 1.1, 0.9, 1.0, 1.05, 0.95};
    builder.add_repetitions(series, builder.point(std::span(at).first(1), {}), many, {});
    builder.add_repetitions(series, builder.point(std::span(at).last(1), {}), std::span(many).first(2), {});
    const NoiseEvidence noise = read_noise(builder.build().series.front(), Statistic::mean);
    EXPECT_DOUBLE_EQ(noise.runs[0] / noise.runs[1], 3.0);
    EXPECT_DOUBLE_EQ(0.5 * (noise.runs[0] + noise.runs[1]), 1.0);
}

// Every tenth step of a training saves it, and the first ones are slow: a mean of all has them.
TEST(NoiseEvidence, LeavesNothingOutOfAMeanOfAll) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("step"), builder.metric("time"));
    const std::vector<double> drifting{1.3, 1.2, 1.1, 1.0, 0.9, 0.8};
    std::vector<double> saving(10, 1.0);
    saving.back() = 4.0;
    for (const double p : {1, 2, 3}) {
        builder.add_repetitions(series, builder.point(std::vector<double>{p}, {}), drifting, {});
        builder.add_repetitions(series, builder.point(std::vector<double>{10 * p}, {}), saving, {});
    }
    const experiment::Experiment experiment = builder.build();
    const NoiseEvidence noise = read_noise(experiment.series.front(), Statistic::mean_of_all);
    EXPECT_TRUE(noise.outliers.empty());
    EXPECT_FALSE(noise.drifts);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(noise.values[i], i % 2 == 0 ? 1.05 : 1.3, 1e-12) << i;
    EXPECT_FALSE(read_noise(experiment.series.front(), Statistic::mean).outliers.empty());
}

}  // namespace
}  // namespace plimsoll::model::detail
