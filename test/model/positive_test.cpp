#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

/// Three runs at each point of one parameter.
experiment::Experiment measured(const test::Planted& truth, double noise, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(1.0, noise);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    for (const double p : test::powers_of_two(2, 7)) {
        std::vector<double> runs;
        for (int r = 0; r < 3; ++r) runs.push_back(truth({&p, 1}) * normal(random));
        builder.add_repetitions(series, builder.point({&p, 1}, {}), runs, {});
    }
    return builder.build();
}

Fit fit_of(const experiment::Experiment& experiment, Positive positive) {
    return fit_all(experiment, {.positive = positive}, 1, silent()).front();
}

double falling(std::span<const double> x) { return 10.0 - 0.05 * x[0]; }  // zero at 200

TEST(Positive, KeepsPredictionsOfFallingValuesAboveZero) {
    const std::vector<test::Planted> truths{falling, [](auto x) { return 50.0 / x[0]; },
                                            [](auto x) { return 9.0 - std::log2(x[0]); },
                                            [](auto x) { return 0.1 + 1e3 / (x[0] * x[0]); }};
    for (std::size_t t = 0; t < truths.size(); ++t) {
        for (const double noise : {0.0, 0.01, 0.2}) {
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                SCOPED_TRACE(testing::Message() << t << ", noise " << noise << ", seed " << seed);
                const Fit fit = fit_of(measured(truths[t], noise, seed), Positive::automatic);
                EXPECT_FALSE(fit.posterior.may_be_negative);
                for (const double p : {256.0, 4096.0, 1e9}) {
                    const std::vector<double> far{p};
                    EXPECT_GE(fit.function(far), 0.0);
                    for (const double coverage : {0.5, 0.9, 0.999}) {
                        const Estimate e = estimate(fit.posterior, far, coverage);
                        EXPECT_GE(e.low, 0.0);
                        EXPECT_LE(e.low, e.value);
                        EXPECT_LE(e.value, e.high);
                    }
                }
            }
        }
    }
}

TEST(Positive, DropsThePriorOnSignsIfAskedTo) {
    const experiment::Experiment experiment = measured(falling, 0.001, 1);
    const std::vector<double> far{1024.0};
    const Fit fit = fit_of(experiment, Positive::no);
    EXPECT_TRUE(fit.posterior.may_be_negative);
    ASSERT_EQ(fit.function.terms.size(), 1U);
    EXPECT_NEAR(fit.function.terms.front().coefficient, -0.05, 0.005);
    const Estimate e = estimate(fit.posterior, far, 0.99);
    EXPECT_LE(e.low, falling(far)) << "the true form is among those that are weighed";
    EXPECT_LT(e.high, 0.0);
}

TEST(Positive, ChangesLittleWhereValuesGrow) {
    const auto growing = [](std::span<const double> x) { return 2.0 + 0.5 * x[0]; };
    const experiment::Experiment experiment = measured(growing, 0.01, 1);
    for (const double p : {16.0, 256.0}) {
        const std::vector<double> at{p};
        for (const Positive positive : {Positive::automatic, Positive::yes, Positive::no}) {
            const Estimate e = estimate(fit_of(experiment, positive).posterior, at, 0.99);
            EXPECT_LE(e.low, growing(at));
            EXPECT_GE(e.high, growing(at));
        }
    }
}

TEST(Positive, RefusesNegativeValuesIfAskedTo) {
    const experiment::Experiment experiment =
        measured([](auto x) { return x[0] == 16.0 ? -3.0 : x[0]; }, 0.0, 1);
    try {
        (void)fit_of(experiment, Positive::yes);
        ADD_FAILURE() << "a value is negative";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_STREQ(error.what(), "'main' / 'time' at p=16: the value -3 s is negative");
        EXPECT_NE(error.hint(), "");
    }
    EXPECT_TRUE(fit_of(experiment, Positive::automatic).posterior.may_be_negative);
    const Fit fit =
        fit_all(experiment, {.search = Search::extra_p, .positive = Positive::yes}, 1, silent()).front();
    EXPECT_EQ(fit.status, Status::ok) << "an option of the other search";
}

TEST(Positive, HasAnAnswerForZeros) {
    const experiment::Experiment experiment = measured([](auto) { return 0.0; }, 0.0, 1);
    for (const Positive positive : {Positive::automatic, Positive::yes, Positive::no}) {
        const Fit fit = fit_of(experiment, positive);
        EXPECT_EQ(fit.function.constant, 0.0);
        EXPECT_EQ(fit.posterior.may_be_negative, positive == Positive::no);
    }
}

}  // namespace
}  // namespace plimsoll::model
