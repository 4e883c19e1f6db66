#include "plimsoll/model/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "plimsoll/core/error.hpp"
#include "test/support/experiment_maker.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

using experiment::Experiment;

const std::vector<double> sizes{4, 8, 16, 32, 64};

/// Relative noise of one run, made anew for each.
using Noise = std::function<double(std::mt19937&)>;

Noise normal(double deviation) {
    return [=](std::mt19937& random) { return std::normal_distribution<double>(0.0, deviation)(random); };
}

/// A program of several regions, measured three times at each size; `factors` says how much longer each
/// region takes than usual.
Experiment runs(unsigned seed, const std::vector<double>& factors, const Noise& noise, int repetitions = 3) {
    std::mt19937 random(seed);
    test::ExperimentMaker maker({"p"});
    for (std::size_t r = 0; r < factors.size(); ++r) {
        for (const double p : sizes) {
            for (int i = 0; i < repetitions; ++i) {
                maker.run("region " + std::to_string(r), "time", {p},
                          factors[r] * (1.0 + 0.1 * p) * std::exp(noise(random)));
            }
        }
    }
    return maker.build();
}

std::size_t count(const Comparison& comparison, Change verdict) {
    return static_cast<std::size_t>(
        std::count_if(comparison.changes.begin(), comparison.changes.end(),
                      [&](const RegionChange& c) { return c.verdict == verdict; }));
}

/// Verdicts that something changed.
std::size_t count_changed(const Comparison& comparison) {
    return count(comparison, Change::slower) + count(comparison, Change::faster);
}

FitDocument models(const Experiment& experiment) {
    return make_document(experiment, fit_all(experiment, {}, 1, silent()));
}

TEST(Comparison, FindsAPlantedSlowDownOfTenPerCent) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        const Comparison c = compare(runs(2 * seed, {1.0, 1.0}, normal(0.02)),
                                     runs(2 * seed + 1, {1.0, 1.1}, normal(0.02)), {});
        ASSERT_EQ(c.changes.size(), 2U);
        EXPECT_EQ(c.changes[0].region, "region 1");
        EXPECT_EQ(c.changes[0].verdict, Change::slower);
        EXPECT_NEAR(c.changes[0].ratio.value, 1.1, 0.04);
        EXPECT_GT(c.changes[0].slower_probability, 0.97);
        EXPECT_EQ(c.changes[0].points.size(), 5U);
    }
}

TEST(Comparison, FindsThatAVersionIsFaster) {
    const Comparison c = compare(runs(1, {1.0}, normal(0.02)), runs(2, {0.8}, normal(0.02)), {});
    EXPECT_EQ(c.changes[0].verdict, Change::faster);
    EXPECT_LT(c.changes[0].slower_probability, 0.01);
}

/// Verdicts of equal programs are false. With twenty regions and any false verdict counting, at most 5 % of
/// comparisons may have one, whatever the noise is like.
TEST(Comparison, OfEqualProgramsIsFalseNoMoreOftenThanItSays) {
    const Noise heavy = [](std::mt19937& random) {
        return 0.05 * std::student_t_distribution<double>(3.0)(random);
    };
    constexpr unsigned comparisons = 300;
    for (const Noise& noise : {normal(0.05), heavy}) {
        for (const int repetitions : {1, 3}) {
            SCOPED_TRACE(repetitions);
            unsigned with_false = 0;
            for (unsigned seed = 0; seed < comparisons; ++seed) {
                const std::vector<double> equal(20, 1.0);
                const Comparison c =
                    compare(runs(2 * seed, equal, noise, repetitions),
                            runs(2 * seed + 1, equal, noise, repetitions), {.least_change = {0.0}});
                with_false += count_changed(c) > 0 ? 1 : 0;
            }
            // Binomial with 5 %: 15 expected, deviation 3.8.
            EXPECT_LE(with_false, 26U);
        }
    }
}

/// Single regions, without the guard of many: 5 % each.
TEST(MeasuredChange, HasTheErrorThatItSays) {
    int rejected = 0;
    constexpr int tests = 4000;
    for (int i = 0; i < tests; ++i) {
        const Experiment a = runs(2 * static_cast<unsigned>(i), {1.0}, normal(0.05));
        const Experiment b = runs(2 * static_cast<unsigned>(i) + 1, {1.0}, normal(0.05));
        rejected += compare(a, b, {}).changes[0].p_value <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(rejected, 0.05 * tests + 3 * std::sqrt(0.05 * 0.95 * tests));
    EXPECT_GE(rejected, 0.01 * tests);  // and is no cheap no
}

/// Runs at one point share what disturbs them: repetitions alone would see changes everywhere.
TEST(Comparison, IsNotMisledByWhatRunsAtOnePointShare) {
    int false_verdicts = 0;
    constexpr unsigned tests = 400;
    for (unsigned seed = 0; seed < tests; ++seed) {
        std::mt19937 random(seed);
        const auto side = [&] {
            test::ExperimentMaker maker({"p"});
            for (const double p : sizes) {
                const double shared = normal(0.1)(random);
                for (int i = 0; i < 5; ++i)
                    maker.run("r", "time", {p}, std::exp(shared + normal(0.005)(random)));
            }
            return maker.build();
        };
        const Experiment before = side();
        false_verdicts += count_changed(compare(before, side(), {})) > 0 ? 1 : 0;
    }
    EXPECT_LE(false_verdicts, 0.05 * tests + 3 * std::sqrt(0.05 * 0.95 * tests));
}

TEST(Comparison, LeavesOutChangesThatDoNotMatter) {
    const Experiment before = runs(1, {1.0}, normal(0.001));
    const Experiment after = runs(2, {1.03}, normal(0.001));
    EXPECT_EQ(compare(before, after, {}).changes[0].verdict, Change::alike);
    EXPECT_LT(compare(before, after, {}).changes[0].p_value, 1e-3);
    EXPECT_EQ(compare(before, after, {.least_change = {0.02}}).changes[0].verdict, Change::slower);
}

/// Alike is shown, not what is left over: noise hides a change of 20 %.
TEST(Comparison, IsUnclearWhereTheIntervalHoldsAChangeThatMatters) {
    const Comparison noisy = compare(runs(1, {1.0}, normal(0.2)), runs(2, {1.2}, normal(0.2)), {});
    EXPECT_EQ(noisy.changes[0].verdict, Change::unclear);
    EXPECT_GT(noisy.changes[0].ratio.high, 1.05);
    // Nor is it alike where most of the interval, but not all, lies within.
    const Comparison close = compare(runs(1, {1.0}, normal(0.005)), runs(2, {1.048}, normal(0.005)), {});
    EXPECT_EQ(close.changes[0].verdict, Change::unclear);
    EXPECT_LT(close.changes[0].ratio.value, 1.05);
}

TEST(Comparison, ByModelsFarApartHasProbabilitiesUpToOne) {
    const FitDocument before = models(runs(1, {1.0, 1.0, 1.0}, normal(0.02)));
    const FitDocument after = models(runs(2, {10.0, 100.0, 0.01}, normal(0.02)));
    const std::vector<std::vector<double>> points{{64.0}, {256.0}};
    for (const RegionChange& change : compare(before, after, points, {}, 1, silent()).changes) {
        EXPECT_GE(change.p_value, 0.0);
        EXPECT_GE(change.adjusted_p_value, 0.0);
        EXPECT_LE(change.slower_probability, 1.0);
    }
}

TEST(Comparison, NamesTheFileThatDoesNotFit) {
    test::ExperimentMaker a({"p"});
    test::ExperimentMaker b({"p", "q"});
    a.run("r", "time", {4}, 1.0);
    b.run("r", "time", {4, 1}, 1.0);
    const VersionNames names{.before = "a.csv", .after = "b.csv"};
    const auto complaint = [&](const Experiment& before, const Experiment& after) -> std::string {
        try {
            static_cast<void>(compare(before, after, {}, names));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return error.what();
        }
        return {};
    };
    const Experiment one = a.build();
    const Experiment two = b.build();
    EXPECT_EQ(complaint(one, two), "a.csv: has no parameter 'q', as 'b.csv' has");
    EXPECT_EQ(complaint(two, one), "b.csv: has no parameter 'q', as 'a.csv' has");
}

TEST(Comparison, ByOneRunAtOnePointSaysNothing) {
    test::ExperimentMaker a({"p"});
    test::ExperimentMaker b({"p"});
    a.run("r", "time", {4}, 1.0);
    b.run("r", "time", {4}, 9.0);
    const Comparison c = compare(a.build(), b.build(), {});
    EXPECT_EQ(c.changes[0].verdict, Change::unclear);
    EXPECT_DOUBLE_EQ(c.changes[0].ratio.value, 9.0);
    EXPECT_TRUE(std::isnan(c.changes[0].ratio.low));
    EXPECT_TRUE(std::isnan(c.changes[0].slower_probability));
}

TEST(Comparison, NamesWhatOnlyOneVersionHas) {
    test::ExperimentMaker a({"p", "n"});
    test::ExperimentMaker b({"n", "p"});  // the order does not matter
    a.run("both", "time", {4, 7}, 1.0).run("gone", "time", {4, 7}, 1.0);
    b.run("both", "time", {7, 4}, 2.0).run("new", "bytes", {7, 4}, 1.0);
    const Comparison c = compare(a.build(), b.build(), {});
    ASSERT_EQ(c.changes.size(), 1U);
    EXPECT_DOUBLE_EQ(c.changes[0].ratio.value, 2.0);
    EXPECT_EQ(c.only_before, (std::vector<std::pair<std::string, std::string>>{{"gone", "time"}}));
    EXPECT_EQ(c.only_after, (std::vector<std::pair<std::string, std::string>>{{"new", "bytes"}}));
    test::ExperimentMaker other({"q"});
    other.run("both", "time", {4}, 1.0);
    EXPECT_THROW(static_cast<void>(compare(a.build(), other.build(), {})), Error);
}

TEST(Comparison, ByModelsFindsTheChangeBeyondTheMeasuredPoints) {
    const FitDocument before = models(runs(1, {1.0, 1.0}, normal(0.005)));
    const FitDocument after = models(runs(2, {1.0, 1.3}, normal(0.005)));
    const std::vector<std::vector<double>> points{{256.0}};
    const Comparison c = compare(before, after, points, {}, 1, silent());
    ASSERT_EQ(c.changes.size(), 2U);
    EXPECT_EQ(c.changes[0].region, "region 1");
    EXPECT_EQ(c.changes[0].verdict, Change::slower);
    EXPECT_NEAR(c.changes[0].ratio.value, 1.3, 0.06);
    EXPECT_NEAR(c.changes[0].points[0].before, 26.6, 3.0);
    EXPECT_EQ(count_changed(c), 1U);
}

TEST(Comparison, ByModelsOfEqualProgramsIsRarelyFalse) {
    int with_false = 0;
    constexpr unsigned comparisons = 150;
    const std::vector<std::vector<double>> points{{256.0}};
    for (unsigned seed = 0; seed < comparisons; ++seed) {
        const Comparison c = compare(models(runs(2 * seed, {1.0, 1.0, 1.0}, normal(0.03))),
                                     models(runs(2 * seed + 1, {1.0, 1.0, 1.0}, normal(0.03))), points,
                                     {.least_change = {0.0}}, 2, silent());
        with_false += count_changed(c) > 0 ? 1 : 0;
    }
    EXPECT_LE(with_false, 0.05 * comparisons + 3 * std::sqrt(0.05 * 0.95 * comparisons));
}

TEST(Comparison, TellsWhetherGrowthChanged) {
    const auto program = [](const test::Planted& function, unsigned seed) {
        test::PlantedExperiment planted({"p"});
        const test::Points points = test::grid({test::powers_of_two(2, 8)});
        planted.add("r", points, test::planted_values(points, function, 0.005, seed));
        return planted.build();
    };
    const auto logarithm = [](std::span<const double> x) { return 1.0 + std::log2(x[0]); };
    const auto linear = [](std::span<const double> x) { return 1.0 + 0.1 * x[0]; };
    const Experiment before = program(logarithm, 1);
    const Experiment same = program(logarithm, 2);
    const Experiment other = program(linear, 3);
    Comparison unchanged = compare(before, same, {});
    add_growth(unchanged, models(before), models(same), 0.95);
    EXPECT_FALSE(unchanged.changes[0].growth_changed);
    Comparison changed = compare(before, other, {});
    add_growth(changed, models(before), models(other), 0.95);
    EXPECT_TRUE(changed.changes[0].growth_changed);
    EXPECT_EQ(changed.changes[0].growth_before, "log2(p)");
    EXPECT_EQ(changed.changes[0].growth_after, "p");
}

/// Both stay bounded, and only one of them falls.
TEST(Comparison, TellsFallingFromConstant) {
    const auto program = [](const test::Planted& function, unsigned seed) {
        test::PlantedExperiment planted({"p"});
        const test::Points points = test::grid({test::powers_of_two(2, 8)});
        planted.add("r", points, test::planted_values(points, function, 0.005, seed));
        return planted.build();
    };
    const Experiment before = program([](std::span<const double> x) { return 100.0 / x[0]; }, 1);
    const Experiment same = program([](std::span<const double> x) { return 100.0 / x[0]; }, 2);
    const Experiment constant = program([](std::span<const double>) { return 10.0; }, 3);
    Comparison unchanged = compare(before, same, {});
    add_growth(unchanged, models(before), models(same), 0.95);
    EXPECT_FALSE(unchanged.changes[0].growth_changed);
    Comparison now_constant = compare(before, constant, {});
    add_growth(now_constant, models(before), models(constant), 0.95);
    EXPECT_TRUE(now_constant.changes[0].growth_changed);
    EXPECT_EQ(now_constant.changes[0].growth_before, "p^(-1)");
    EXPECT_EQ(now_constant.changes[0].growth_after, "1");
}

TEST(Comparison, OfGrowthDoesNotDependOnTheOrderOfTheParameters) {
    const test::Points grid = test::grid({test::powers_of_two(2, 6), test::powers_of_two(5, 9)});
    test::PlantedExperiment a({"p", "n"});
    test::PlantedExperiment b({"n", "p"});
    test::Points turned;
    for (const std::vector<double>& point : grid) turned.push_back({point[1], point[0]});
    a.add("r", grid, [](std::span<const double> x) { return 1.0 + 0.1 * x[0] * x[0] * x[1]; });
    b.add("r", turned, [](std::span<const double> x) { return 1.0 + 0.1 * x[1] * x[1] * x[0]; });
    const Experiment before = a.build();
    const Experiment after = b.build();
    Comparison c = compare(before, after, {});
    add_growth(c, models(before), models(after), 0.95);
    ASSERT_EQ(c.changes.size(), 1U);
    EXPECT_EQ(c.changes[0].points.size(), grid.size());
    EXPECT_FALSE(c.changes[0].growth_changed);
}

TEST(AdjustedPValues, AreThoseOfBenjaminiAndHochberg) {
    // Sorted 0.01, 0.02, 0.03, 0.5 times 4/1, 4/2, 4/3, 4/4, and none above a later one.
    const std::vector<double> adjusted = adjusted_p_values(std::vector<double>{0.5, 0.02, 0.01, 0.03});
    EXPECT_NEAR(adjusted[0], 0.5, 1e-12);
    EXPECT_NEAR(adjusted[1], 0.04, 1e-12);
    EXPECT_NEAR(adjusted[2], 0.04, 1e-12);
    EXPECT_NEAR(adjusted[3], 0.04, 1e-12);
    EXPECT_TRUE(adjusted_p_values({}).empty());
}

}  // namespace
}  // namespace plimsoll::model
