#include "plimsoll/model/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/predictive.hpp"
#include "test/support/planted.hpp"
#include "test/support/random_posterior.hpp"

namespace plimsoll::model {
namespace {

/// Fails where a point of the grid is not what `predicted` says of it.
void expect_same(const Posterior& posterior, const Function& function, const Grid& grid, double coverage,
                 int threads = 1) {
    const GridEstimates found =
        grid_estimates(posterior, function, grid, coverage, threads, silent(), GridEnds::both);
    const GridEstimates upper = grid_estimates(posterior, function, grid, coverage, threads, silent());
    ASSERT_EQ(grid.size(), found.value.size());
    ASSERT_EQ(grid.size(), found.high.size());
    ASSERT_EQ(grid.size(), found.low.size());
    ASSERT_TRUE(upper.low.empty());
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const std::vector<double> point = grid.point(i);
        SCOPED_TRACE(::testing::PrintToString(point));
        const Estimate e = predicted(posterior, function, point, coverage);
        if (std::isnan(e.value)) {
            EXPECT_TRUE(std::isnan(found.value[i]));
            continue;
        }
        const double tolerance = 1e-8 * std::abs(e.value) + 1e-7 * std::abs(e.high - e.low);
        ASSERT_NEAR(e.value, found.value[i], tolerance);
        ASSERT_NEAR(e.high, found.high[i], tolerance);
        ASSERT_NEAR(e.low, found.low[i], tolerance);
        ASSERT_EQ(upper.value[i], found.value[i]);
        ASSERT_EQ(upper.high[i], found.high[i]);
    }
}

Grid random_grid(std::mt19937_64& random, std::size_t parameters) {
    Grid grid;
    grid.values.resize(parameters);
    for (std::vector<double>& axis : grid.values) {
        const std::size_t count = 1 + random() % (parameters == 1 ? 200 : 50);
        for (std::size_t i = 0; i < count; ++i) axis.push_back(2.0 + 3.0 * static_cast<double>(i));
    }
    return grid;
}

TEST(Grid, NumbersItsPointsWithTheLastParameterFastest) {
    const Grid grid{.values = {{1.0, 2.0}, {10.0, 20.0, 30.0}}};
    EXPECT_EQ(6U, grid.size());
    EXPECT_EQ((std::vector<double>{1.0, 30.0}), grid.point(2));
    EXPECT_EQ((std::vector<double>{2.0, 10.0}), grid.point(3));
    EXPECT_EQ(1U, grid.place(3, 0));
    EXPECT_EQ(0U, grid.place(3, 1));
}

TEST(GridEstimates, AreThoseOfEachPoint) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        const std::size_t parameters = 1 + random() % 3;
        const Posterior posterior = test::random_posterior(random, parameters, 100.0);
        Grid grid = random_grid(random, parameters);
        if (parameters == 3) {
            for (std::vector<double>& axis : grid.values) axis.resize(std::min<std::size_t>(axis.size(), 9));
        }
        constexpr double coverages[] = {0.5, 0.9, 0.98};
        expect_same(posterior, {}, grid, coverages[random() % 3], 1 + static_cast<int>(random() % 2));
    }
}

TEST(GridEstimates, AreThoseOfEachPointForExactData) {
    // Forms without any width: the distribution is a staircase.
    std::mt19937_64 random(2);
    for (int round = 0; round < 50; ++round) {
        SCOPED_TRACE(round);
        const Posterior wide = test::random_posterior(random, 2, 100.0);
        Posterior posterior = wide;
        posterior.forms = {};
        for (std::size_t i = 0; i < wide.forms.size(); ++i) {
            WeighedForm form = wide.forms[i];
            for (double& entry : form.covariance) entry *= 1e-20;
            posterior.forms.add(form);
        }
        expect_same(posterior, {}, random_grid(random, 2), 0.9);
    }
}

TEST(GridEstimates, AreThoseOfEachPointWithRegimesLawsAndMisfits) {
    std::mt19937_64 random(3);
    Posterior regimes = test::random_posterior(random, 1, 100.0);
    const WeighedForm first = regimes.forms[0];
    regimes.forms = {};
    for (const Range range : {Range{.to = 40.0}, Range{.from = 40.0}}) {
        WeighedForm form = first;
        form.range = range;
        form.function.terms.front().coefficient *= range.is_first() ? 1.0 : 3.0;
        regimes.forms.add(form);
    }
    expect_same(regimes, {}, random_grid(random, 1), 0.9);

    Posterior laws = test::random_posterior(random, 1, 100.0);
    WeighedForm law = laws.forms[0];
    law.function.terms.front().factors = {
        {.parameter = 0, .law = {.kind = LawKind::exponential, .rate = 0.1}}};
    law.free_parameters.clear();
    const std::size_t unknowns = (law.has_constant ? 1 : 0) + law.function.terms.size();
    law.covariance.assign(unknowns * (unknowns + 1) / 2, 0.0);
    laws.forms = {law};
    expect_same(laws, {}, random_grid(random, 1), 0.9);

    Posterior misfit = test::random_posterior(random, 1, 100.0);
    misfit.misfit = {.origin = {4.0},
                     .range = {3.0},
                     .length = {0.3},
                     .variance = 0.01,
                     .noise = 1e-4,
                     .points = {4.0, 8.0, 16.0, 32.0, 64.0},
                     .residuals = {0.1, -0.1, 0.05, 0.1, -0.05}};
    expect_same(misfit, {}, random_grid(random, 1), 0.9);

    for (int round = 0; round < 20; ++round) {
        SCOPED_TRACE(round);
        Posterior two = test::random_posterior(random, 2, 100.0);
        std::uniform_real_distribution<double> residual(-0.1, 0.1);
        two.misfit = {.origin = {4.0, 4.0},
                      .range = {3.0, round % 4 == 0 ? 0.0 : 3.0},
                      .length = {0.2, 1.0},
                      .variance = 0.01,
                      .noise = 1e-4,
                      .points = {},
                      .residuals = {}};
        for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
            for (const double n : {4.0, 16.0, 64.0}) {
                two.misfit.points.insert(two.misfit.points.end(), {p, round % 4 == 0 ? 4.0 : n});
                two.misfit.residuals.push_back(residual(random));
            }
        }
        expect_same(two, {}, random_grid(random, 2), 0.9);
    }
}

TEST(GridEstimates, AreThoseOfEachPointForFittedModels) {
    const auto points = test::grid({{4, 8, 16, 32, 64}, {10, 20, 30, 40, 50}});
    const test::Planted function = [](std::span<const double> x) {
        return 5.0 + 100.0 * x[1] / x[0] + std::log2(x[0]);
    };
    test::PlantedExperiment planted({"p", "n"});
    planted.add("main", points, test::planted_values(points, function, 0.02));
    for (const Fit& fit : fit_all(planted.build(), {}, 1, silent())) {
        ASSERT_EQ(Status::ok, fit.status);
        Grid grid;
        grid.values.resize(2);
        for (int i = 0; i < 70; ++i) grid.values[0].push_back(2.0 + 7.0 * i);
        for (int i = 0; i < 11; ++i) grid.values[1].push_back(5.0 + 10.0 * i);
        expect_same(fit.posterior, fit.function, grid, 0.9);
        expect_same(fit.posterior, fit.function, grid, 0.98);
    }
}

TEST(GridEstimates, HaveNoValueWhereFormsHaveNone) {
    WeighedForm form{.probability = 1.0, .degrees_of_freedom = 10.0};
    form.function.terms = {
        {.coefficient = 1.0, .factors = {{.parameter = 0, .exponent = 0, .log_exponent = {1, 2}}}}};
    form.covariance = {0.01};
    Posterior posterior{.forms = {form}, .middle = {4.0}, .largest = {8.0}, .step = {2.0}};
    const Grid grid{.values = {{0.5, 2.0, 4.0}}};
    const GridEstimates found = grid_estimates(posterior, {}, grid, 0.9, 1, silent());
    EXPECT_TRUE(std::isnan(found.value[0])) << "the root of a negative logarithm";
    expect_same(posterior, {}, grid, 0.9);
}

TEST(GridEstimates, DoNotDependOnThreads) {
    std::mt19937_64 random(4);
    const Posterior posterior = test::random_posterior(random, 2, 100.0);
    Grid grid;
    grid.values.resize(2);
    for (int i = 0; i < 300; ++i) grid.values[0].push_back(2.0 + i);
    for (int i = 0; i < 40; ++i) grid.values[1].push_back(2.0 + i);
    const GridEstimates one = grid_estimates(posterior, {}, grid, 0.9, 1, silent());
    const GridEstimates four = grid_estimates(posterior, {}, grid, 0.9, 4, silent());
    EXPECT_EQ(one.value, four.value);
    EXPECT_EQ(one.high, four.high);
}

}  // namespace
}  // namespace plimsoll::model
