#include "plimsoll/model/ranking.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

using test::Planted;
using test::Points;

constexpr double coverage = 0.9;

FitDocument document_of(test::PlantedExperiment& planted, const FitOptions& options = {}) {
    const experiment::Experiment experiment = planted.build();
    return make_document(experiment, fit_all(experiment, options, 1, silent()));
}

const Points line = test::grid({test::powers_of_two(2, 7)});

FitDocument crossing_program(double noise, unsigned seed = 1) {
    test::PlantedExperiment planted({"p"});
    const auto add = [&](const std::string& region, const Planted& function, unsigned offset) {
        planted.add(region, line, test::planted_values(line, function, noise, 3 * seed + offset));
    };
    add(
        "main->setup", [](std::span<const double>) { return 100.0; }, 0);
    add(
        "main->solve", [](std::span<const double> x) { return 0.2 * x[0]; }, 1);
    add(
        "main->sort", [](std::span<const double> x) { return 20.0 + 5.0 * std::log2(x[0]); }, 2);
    return document_of(planted);
}

std::vector<std::string> regions(const RegionRanking& ranking) {
    std::vector<std::string> names;
    for (const RankedRegion& r : ranking.regions) names.push_back(r.region);
    return names;
}

TEST(Ranking, ByGrowthPutsFirstWhatFinallyDominates) {
    const FitDocument document = crossing_program(0.0);
    const std::vector<std::string> expected{"main->solve", "main->sort", "main->setup"};
    // However small it still is at the point.
    for (const double p : {128.0, 256.0, 1e6}) {
        EXPECT_EQ(regions(rank(document, {p}, {.by = RankBy::growth}, coverage, 1, silent())), expected) << p;
    }
}

TEST(Ranking, ByCostIsThatOfThePoint) {
    const FitDocument document = crossing_program(0.0);
    const std::vector<std::string> near{"main->setup", "main->sort", "main->solve"};
    const std::vector<std::string> far{"main->solve", "main->setup", "main->sort"};
    EXPECT_EQ(regions(rank(document, {128.0}, {.by = RankBy::cost}, coverage, 1, silent())), near);
    const RegionRanking ranking = rank(document, {4096.0}, {.by = RankBy::cost}, coverage, 1, silent());
    EXPECT_EQ(regions(ranking), far);
    EXPECT_EQ(ranking.regions[0].growth_rank, 1U);
    EXPECT_EQ(ranking.regions[1].growth_rank, 3U);
    EXPECT_NEAR(ranking.regions[0].cost.value, 0.2 * 4096.0, 0.01);
    EXPECT_NEAR(ranking.regions[0].measured.value, 0.2 * 128.0, 1e-3);
}

TEST(Ranking, FindsThePlantedCrossing) {
    // 0.2 p = 100 at p = 500; the neighbour at 4096 is the constant.
    const RegionRanking ranking = rank(crossing_program(0.0), {4096.0}, {}, coverage, 1, silent());
    ASSERT_EQ(ranking.crossings.size(), 1U);
    EXPECT_EQ(ranking.crossings[0].region, "main->solve");
    EXPECT_EQ(ranking.crossings[0].overtaken, "main->setup");
    EXPECT_NEAR(ranking.crossings[0].at[0], 500.0, 0.01);
    EXPECT_GT(ranking.crossings[0].probability, 0.999);
    // At 400 the constant is not reached yet, and the neighbour is the sort.
    const RegionRanking nearer = rank(crossing_program(0.0), {400.0}, {}, coverage, 1, silent());
    ASSERT_EQ(nearer.crossings.size(), 1U);
    EXPECT_EQ(nearer.crossings[0].overtaken, "main->sort");
}

// Values of whole sub-trees: a part that is predicted to take longer than all of it overtakes nothing.
TEST(Ranking, LetsNoRegionOvertakeOneThatItLiesInWhereValuesAreInclusive) {
    FitDocument document = crossing_program(0.0);
    for (RegionModel& m : document.models) {
        if (m.region == "main->setup") m.region = "main";
    }
    EXPECT_EQ(rank(document, {4096.0}, {}, coverage, 1, silent()).crossings.size(), 1U)
        << "values of their own";
    document.inclusive = true;
    EXPECT_TRUE(rank(document, {4096.0}, {}, coverage, 1, silent()).crossings.empty());
    EXPECT_EQ(rank(document, {400.0}, {}, coverage, 1, silent()).crossings.size(), 1U)
        << "solve overtakes sort";
}

TEST(Ranking, FindsThePlantedCrossingThroughNoise) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const RegionRanking ranking = rank(crossing_program(0.01, seed), {4096.0}, {}, coverage, 1, silent());
        ASSERT_FALSE(ranking.crossings.empty());
        const Crossing& last = ranking.crossings.back();
        EXPECT_EQ(last.region, "main->solve");
        EXPECT_NEAR(last.at[0], 500.0, 100.0);
        EXPECT_GT(last.probability, 0.9);
    }
}

TEST(Ranking, OfSeveralParametersFollowsTheLineToThePoint) {
    test::PlantedExperiment planted({"p", "n"});
    const Points grid = test::grid({test::powers_of_two(2, 6), test::powers_of_two(2, 6)});
    planted.add("along p", grid, [](std::span<const double> x) { return 2.0 * x[0]; });
    planted.add("along n", grid, [](std::span<const double> x) { return 1.0 * x[1] + 100.0; });
    const FitDocument document = document_of(planted);
    // Twice as far in n, on the logarithmic scale: n counts twice.
    const RegionRanking by_n = rank(document, {256.0, 1024.0}, {}, coverage, 1, silent());
    EXPECT_EQ(by_n.regions[0].region, "along n");
    EXPECT_EQ(rank(document, {4096.0, 64.0}, {}, coverage, 1, silent()).regions[0].region, "along p");
    // 128 and 164 at the corner (64, 64); where p = 64 s, n = 64 s^2: 64 s^2 + 100 = 128 s never, so the
    // order stays on that line; with n fixed 2 p = 164 at p = 82.
    EXPECT_TRUE(by_n.crossings.empty());
    const RegionRanking by_p = rank(document, {4096.0, 64.0}, {}, coverage, 1, silent());
    ASSERT_EQ(by_p.crossings.size(), 1U);
    EXPECT_NEAR(by_p.crossings[0].at[0], 82.0, 0.01);
    EXPECT_NEAR(by_p.crossings[0].at[1], 64.0, 1e-9);
}

TEST(Ranking, PutsFallingTermsBelowConstants) {
    test::PlantedExperiment planted({"p"});
    planted.add("divided", line, [](std::span<const double> x) { return 1e6 / x[0]; });
    planted.add("constant", line, [](std::span<const double>) { return 1.0; });
    const RegionRanking ranking = rank(document_of(planted), {256.0}, {}, coverage, 1, silent());
    EXPECT_EQ(ranking.regions[0].region, "constant");
    EXPECT_EQ(ranking.regions[0].cost_rank, 2U);
}

TEST(Ranking, OrdersEqualGrowthByItsCoefficient) {
    test::PlantedExperiment planted({"p"});
    planted.add("small", line, [](std::span<const double> x) { return 0.1 * x[0] + 1000.0; });
    planted.add("large", line, [](std::span<const double> x) { return 0.2 * x[0] + 1.0; });
    const RegionRanking ranking = rank(document_of(planted), {256.0}, {}, coverage, 1, silent());
    EXPECT_EQ(ranking.regions[0].region, "large");
    EXPECT_EQ(ranking.regions[0].growth, "p");
    EXPECT_EQ(ranking.regions[0].cost_rank, 2U);
}

TEST(Ranking, KeepsMetricsApartAndWorksWithoutAPosterior) {
    test::PlantedExperiment planted({"p"});
    const auto linear = test::planted_values(line, [](std::span<const double> x) { return x[0]; });
    const auto constant = test::planted_values(line, [](std::span<const double>) { return 5.0; });
    planted.add("a", line, constant).add("a", line, linear, "bytes").add("b", line, linear);
    const RegionRanking ranking =
        rank(document_of(planted, {.search = Search::extra_p}), {256.0}, {}, coverage, 1, silent());
    EXPECT_EQ(regions(ranking), (std::vector<std::string>{"b", "a", "a"}));
    EXPECT_EQ(ranking.regions[2].metric, "bytes");
    EXPECT_EQ(ranking.regions[2].cost_rank, 1U);
    EXPECT_EQ(ranking.regions[0].growth_probability, 1.0);
    EXPECT_EQ(ranking.regions[0].cost.low, ranking.regions[0].cost.high);
}

/// -0.001 p^2 is below -5 p from p=5000 on.
TEST(Ranking, OfTwoFallingRegionsTheSlowerOneComesFirst) {
    const auto falling = [](double coefficient, int exponent) {
        return RegionModel{.region = fmt::format("p^{}", exponent),
                           .metric = "time",
                           .function = {.constant = 0.0,
                                        .terms = {{.coefficient = coefficient,
                                                   .factors = {{.parameter = 0, .exponent = {exponent}}}}}}};
    };
    const FitDocument document{.parameters = {"p"},
                               .smallest = {4.0},
                               .largest = {64.0},
                               .options = {},
                               .models = {falling(-0.001, 2), falling(-5.0, 1), falling(-1.0, 1)}};
    const RegionRanking ranking = rank(document, {1024.0}, {.by = RankBy::growth}, coverage, 1, silent());
    EXPECT_EQ(regions(ranking), (std::vector<std::string>{"p^1", "p^1", "p^2"}));
    EXPECT_EQ(ranking.regions[0].cost.value, -1024.0);
}

}  // namespace
}  // namespace plimsoll::model
