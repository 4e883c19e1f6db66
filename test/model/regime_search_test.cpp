#include "plimsoll/model/detail/posterior/regime_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/formula.hpp"
#include "test/support/experiment_maker.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

std::vector<double> counting(int count) {
    std::vector<double> points;
    for (int i = 1; i <= count; ++i) points.push_back(i);
    return points;
}

Fit fit_of(const std::vector<double>& points, const test::Planted& truth, double noise = 0.0,
           int repetitions = 1, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(1.0, noise);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    for (const double p : points) {
        const std::vector<double> at{p};
        std::vector<double> runs;
        for (int r = 0; r < repetitions; ++r)
            runs.push_back(truth(at) * (noise > 0.0 ? normal(random) : 1.0));
        builder.add_repetitions(series, builder.point(at, {}), runs, {});
    }
    return fit_all(builder.build(), {}, 1, silent()).front();
}

std::string formula_of(const Fit& fit) {
    return formula(fit.function, std::vector<std::string>{"p"}, FormulaStyle::text, FormulaDigits::four);
}

bool has_warning(const Fit& fit, std::string_view part) {
    return std::any_of(fit.warnings.begin(), fit.warnings.end(),
                       [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

Estimate at(const Fit& fit, double p) { return estimate(fit.posterior, std::vector<double>{p}, 0.9); }

double three_regimes(std::span<const double> x) {
    return x[0] <= 10 ? 10 + x[0] : x[0] <= 20 ? 200 + 0.5 * x[0] * x[0] : 5000 + 100 * x[0];
}

/// An algorithm that is changed beyond a size: less steep, but more to begin with.
double jump(std::span<const double> x) { return x[0] < 100 ? 3 * x[0] : 150 + 2.5 * x[0]; }

TEST(RegimeSearch, FindsThreeRegimesAndTheirForms) {
    const Fit fit = fit_of(counting(30), three_regimes);
    ASSERT_EQ(fit.function.segments.size(), 3U) << formula_of(fit);
    for (const double p : {1.0, 5.5, 10.5, 12.0, 20.0, 20.6, 60.0}) {
        const std::vector<double> x{p};
        const double truth = p == 10.5 ? 20.5 : three_regimes(x);
        EXPECT_NEAR(fit.function(x), truth, 1e-4 * truth) << formula_of(fit);
    }
    EXPECT_EQ(growth(fit.function, std::vector<std::string>{"p"}), "p");
    ASSERT_EQ(fit.posterior.changes.size(), 2U);
    EXPECT_EQ(fit.posterior.changes[0].after, 10.0);
    EXPECT_EQ(fit.posterior.changes[0].before, 11.0);
    EXPECT_EQ(fit.posterior.changes[1].after, 20.0);
    EXPECT_GT(fit.posterior.changes[1].probability, 0.99);
    EXPECT_TRUE(
        has_warning(fit, "the behaviour changes between p=10 and p=11 (100 %), between p=20 and p=21"));
    EXPECT_NEAR(at(fit, 60).value, 11000.0, 1.0) << "by the last regime";
    EXPECT_NEAR(at(fit, 5.5).value, 15.5, 0.01);
    EXPECT_NEAR(at(fit, 15.5).value, 200 + 0.5 * 15.5 * 15.5, 0.1);
    EXPECT_LT(fit.quality.in_sample.smape, 1e-6);
}

TEST(RegimeSearch, IsInDoubtBetweenTheLastPointOfOneAndTheFirstOfTheNext) {
    const Estimate between = at(fit_of(counting(30), three_regimes), 20.5);
    EXPECT_LT(between.low, 420.0);
    EXPECT_GT(between.high, 7000.0);
}

TEST(RegimeSearch, FindsAChangeInNoise) {
    const std::vector<double> points{10, 16, 25, 40, 63, 110, 160, 250, 400, 630};
    int found = 0;
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Fit fit = fit_of(points, jump, 0.02, 3, seed);
        const auto& changes = fit.posterior.changes;
        found += changes.size() == 1 && changes[0].after == 63.0 ? 1 : 0;
        const Estimate e = at(fit, 1260);
        covered += e.low <= 3300.0 && 3300.0 <= e.high ? 1 : 0;
    }
    EXPECT_GE(found, 36);
    EXPECT_GE(covered, 32) << "of 40 intervals of 90 %";
}

TEST(RegimeSearch, SeesNoChangeWhereThereIsNone) {
    const std::vector<test::Planted> truths{[](auto) { return 7.0; },
                                            [](auto x) { return 5.0 + x[0] * std::log2(x[0]); },
                                            [](auto x) { return 100.0 / x[0] + 0.05 * x[0]; },
                                            [](auto x) { return 20.0 + std::pow(x[0], 1.37); }};
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        for (const test::Planted& truth : truths) {
            for (const int repetitions : {1, 4})
                found += fit_of(test::powers_of_two(1, 10), truth, 0.05, repetitions, seed)
                                 .posterior.changes.empty()
                             ? 0
                             : 1;
        }
    }
    EXPECT_LE(found, 2) << "of 120";
}

TEST(RegimeSearch, DoesNotMindTheOrderOfThePoints) {
    std::vector<double> turned = counting(30);
    std::reverse(turned.begin(), turned.end());
    const Fit fit = fit_of(turned, three_regimes);
    EXPECT_EQ(formula_of(fit), formula_of(fit_of(counting(30), three_regimes)));
    EXPECT_NEAR(at(fit, 60).value, 11000.0, 1.0);
}

TEST(RegimeSearch, WantsThreePointsOnEachSide) {
    const auto late = [](std::span<const double> x) { return x[0] <= 8 ? x[0] : 50 * x[0]; };
    EXPECT_TRUE(fit_of(counting(10), late).posterior.changes.empty());
    EXPECT_EQ(fit_of(counting(11), late).posterior.changes.size(), 1U);
    EXPECT_TRUE(
        fit_of({1, 2, 3, 4, 5}, [](auto x) { return x[0] < 3 ? 1.0 : 9.0; }).posterior.changes.empty());
}

TEST(RegimeSearch, TellsOfChangesThatArePossible) {
    int possible = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Fit fit = fit_of({10, 16, 25, 40, 63, 110, 160, 250}, jump, 0.06, 2, seed);
        if (!fit.posterior.changes.empty()) continue;
        possible += has_warning(fit, "the behaviour may change (") ? 1 : 0;
        EXPECT_TRUE(fit.function.segments.empty());
    }
    EXPECT_GE(possible, 3);
}

TEST(RegimeSearch, LeavesExponentialGrowthToLaws) {
    const auto doubling = [](std::span<const double> x) { return 3.0 + std::exp2(x[0] / 3.0); };
    const Fit fit = fit_of(counting(14), doubling, 0.01, 4);
    EXPECT_TRUE(fit.posterior.changes.empty());
    EXPECT_TRUE(has_warning(fit, "--laws")) << fit.warnings.size();
}

TEST(RegimeSearch, LeavesValuesOfBothSignsAlone) {
    const auto balance = [](std::span<const double> x) { return x[0] <= 6 ? 5.0 - x[0] : 100.0 + x[0]; };
    EXPECT_TRUE(fit_of(counting(12), balance).posterior.changes.empty());
}

TEST(RegimeSearch, KnowsTheGrowthBeyondAllPoints) {
    for (const double noise : {0.0, 0.05, 0.2}) {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const Posterior posterior = fit_of(test::powers_of_two(1, 12), jump, noise, 2, seed).posterior;
            double beyond = 0.0;
            for (std::size_t i = 0; i < posterior.forms.size(); ++i)
                beyond += posterior.forms.range(i).is_last() ? posterior.forms.probability(i) : 0.0;
            EXPECT_NEAR(beyond, 1.0, 1e-3);
            EXPECT_LE(posterior.forms.size(), 500U);
        }
    }
}

TEST(RegimeSearch, TakesASaturatingRegimeForOne) {
    const auto saturating = [](std::span<const double> x) { return x[0] <= 1000 ? 1.0 - 0.8 / x[0] : 2.0; };
    const Fit fit = fit_of(test::powers_of_two(1, 14), saturating, 0.01, 3);
    ASSERT_EQ(fit.posterior.changes.size(), 1U) << formula_of(fit);
    EXPECT_EQ(fit.posterior.changes.front().after, 512.0);
}

}  // namespace
}  // namespace plimsoll::model
