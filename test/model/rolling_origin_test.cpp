#include "plimsoll/model/detail/posterior/rolling_origin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plimsoll/model/fit.hpp"
#include "test/support/experiment_maker.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

const std::vector<double> five = test::powers_of_two(2, 6);

/// Values of a function at points of one parameter, each with repetitions off by normal relative errors.
Posterior posterior_of(const std::vector<double>& points, const test::Planted& truth, double noise,
                       int repetitions, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(1.0, noise);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    for (const double p : points) {
        const std::vector<double> at{p};
        std::vector<double> runs;
        for (int r = 0; r < repetitions; ++r) runs.push_back(truth(at) * normal(random));
        builder.add_repetitions(series, builder.point(at, {}), runs, {});
    }
    return fit_all(builder.build(), {}, 1, silent()).front().posterior;
}

double linear(std::span<const double> x) { return 5.0 + 2.0 * x[0]; }

/// Twice as steep beyond 32.
double broken(std::span<const double> x) { return 5.0 + 2.0 * x[0] + 4.0 * std::max(0.0, x[0] - 32.0); }

TEST(RollingOrigin, SeesNoDiscrepancyInMostSeriesOfAKnownForm) {
    int surprised = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        surprised += posterior_of(five, linear, 0.02, 4, seed).discrepancy > 0.0 ? 1 : 0;
    }
    EXPECT_LE(surprised, 30) << "beyond 1.4 deviations lies a sixth of all";
}

TEST(RollingOrigin, IsSurprisedByAChangeOfSlope) {
    const Posterior posterior = posterior_of(five, broken, 0.005, 4, 1);
    // From the first four points 133 follows at 64, and 261 was seen.
    EXPECT_NEAR(posterior.discrepancy, std::log(261.0 / 133.0), 0.05);
    EXPECT_EQ(posterior.largest, std::vector<double>{64.0});
    EXPECT_EQ(posterior.step, std::vector<double>{2.0});
}

TEST(RollingOrigin, WidensIntervalsBeyondTheRangeOnly) {
    Posterior posterior = posterior_of(five, broken, 0.005, 4, 1);
    const std::vector<double> inside{24.0};
    const std::vector<double> beyond{128.0};
    const Estimate known_inside = estimate(posterior, inside, 0.9);
    const Estimate known_beyond = estimate(posterior, beyond, 0.9);
    posterior.discrepancy = 0.0;
    EXPECT_EQ(estimate(posterior, inside, 0.9).high, known_inside.high);
    EXPECT_LT(estimate(posterior, beyond, 0.9).high, known_beyond.high);
}

TEST(RollingOrigin, CountsAllErrorOfSingleMeasurements) {
    EXPECT_GT(posterior_of(five, linear, 0.02, 1, 2).discrepancy, 0.0);
    EXPECT_LT(posterior_of(five, linear, 0.0, 1, 2).discrepancy, 1e-3) << "exact values are predicted well";
}

TEST(RollingOrigin, DoesNotMindTheOrderOfThePoints) {
    std::vector<double> turned(five.rbegin(), five.rend());
    const Posterior posterior = posterior_of(five, broken, 0.0, 1, 1);
    EXPECT_NEAR(posterior_of(turned, broken, 0.0, 1, 1).discrepancy, posterior.discrepancy, 1e-6);
    EXPECT_GT(posterior.discrepancy, 0.1);
}

TEST(RollingOrigin, NeedsFourPositiveValues) {
    EXPECT_EQ(posterior_of({8, 16, 64}, broken, 0.0, 1, 1).discrepancy, 0.0);
    const auto with_zero = [](std::span<const double> x) { return x[0] < 5.0 ? 0.0 : x[0]; };
    EXPECT_EQ(posterior_of(five, with_zero, 0.0, 1, 1).discrepancy, 0.0);
}

}  // namespace
}  // namespace plimsoll::model
