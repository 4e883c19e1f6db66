#include "plimsoll/training/step_precision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "test/support/experiment_maker.hpp"

namespace plimsoll::training {
namespace {

using Values = std::vector<double>;

/// x' = a x + e: one step tells as much as (1 - a) / (1 + a) independent ones.
Values autoregressive(double a, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Values values;
    double x = normal(random) / std::sqrt(1.0 - a * a);
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(10.0 + x);
        x = a * x + normal(random);
    }
    return values;
}

TEST(AutocorrelationTime, IsThatOfAKnownProcess) {
    for (const double a : {0.0, 0.5, 0.8}) {
        double sum = 0.0;
        constexpr int draws = 20;
        for (int seed = 1; seed <= draws; ++seed)
            sum += autocorrelation_time(autoregressive(a, 4000, static_cast<std::uint64_t>(seed)));
        const double expected = (1.0 + a) / (1.0 - a);
        EXPECT_NEAR(sum / draws, expected, 0.15 * expected) << a;
    }
    EXPECT_EQ(autocorrelation_time(autoregressive(0.8, 19, 1)), 1.0) << "too few to tell";
    EXPECT_EQ(autocorrelation_time(Values(50, 3.0)), 1.0) << "no two differ";
}

experiment::Experiment steps(const Values& times) {
    test::ExperimentMaker maker({"p"});
    for (const double time : times) maker.run("step", "time", {4}, time);
    return maker.build();
}

// Mean 10, deviation 1, t(4) = 2.132 at 90 %: 2.132 / sqrt(5) / 10.
TEST(StepPrecision, IsTheIntervalOfTheMean) {
    const auto found = step_precision(steps({9, 11, 9, 11, 10}), 0.9, 0.01);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].at, Values{4});
    EXPECT_EQ(found[0].steps, 5U);
    EXPECT_DOUBLE_EQ(found[0].mean, 10.0);
    EXPECT_NEAR(found[0].half_width, 2.1318 / std::sqrt(5.0) / 10.0, 1e-5);
    // Normal quantile 1.645: (1.645 / 0.1)^2 = 270.6; Student's is a little wider.
    EXPECT_GE(found[0].needed, 271U);
    EXPECT_LE(found[0].needed, 274U);
}

TEST(StepPrecision, CountsTheMeanOfTheProcessesOfAStep) {
    test::ExperimentMaker maker({"p"});
    maker.run("step", "time", {2}, Values{1, 3}).run("step", "time", {2}, Values{5, 2});
    const auto found = step_precision(maker.build(), 0.9, 0.01);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].steps, 2U);
    EXPECT_DOUBLE_EQ(found[0].mean, 2.75);
}

TEST(StepPrecision, IsReachedByAsManyStepsAsItAsksFor) {
    // Of many draws of `needed` steps, nine of ten means lie within the wanted distance of the true one.
    const double precision = 0.02;
    const std::size_t needed = step_precision(steps(autoregressive(0.0, 2000, 3)), 0.9, precision)[0].needed;
    int within = 0;
    constexpr int draws = 400;
    for (int seed = 1; seed <= draws; ++seed) {
        const Values values = autoregressive(0.0, needed, static_cast<std::uint64_t>(1000 + seed));
        double sum = 0.0;
        for (const double value : values) sum += value;
        within += std::abs(sum / static_cast<double>(needed) - 10.0) <= precision * 10.0 ? 1 : 0;
    }
    EXPECT_GE(within,
              340);  // binomial: 360 expected, deviation 6; three of them and a wrong deviation of 2 %
    EXPECT_LE(within, 380);
}

TEST(StepPrecision, TellsNothingOfOneStep) {
    const auto found = step_precision(steps({7}), 0.9, 0.01);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].needed, 0U);
    EXPECT_EQ(found[0].half_width, 0.0);
}

}  // namespace
}  // namespace plimsoll::training
