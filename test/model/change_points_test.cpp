#include "plimsoll/model/detail/posterior/change_points.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "plimsoll/model/detail/posterior/form_evidence.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model::detail {
namespace {

const std::vector<NoisePrior> unknown_noise{
    {.log_weight = std::log(0.5), .degrees_of_freedom = 2.0, .variance = 1e-8},
    {.log_weight = std::log(0.5), .degrees_of_freedom = 2.0, .variance = 1e-3}};

std::vector<double> counting(std::size_t count) {
    std::vector<double> points(count);
    std::iota(points.begin(), points.end(), 1.0);
    return points;
}

std::vector<double> values_at(const std::vector<double>& points, const test::Planted& truth) {
    std::vector<double> values;
    for (const double x : points) values.push_back(truth(std::span(&x, 1)));
    return values;
}

ChangePoints find(const std::vector<double>& points, const std::vector<double>& values,
                  const std::vector<NoisePrior>& priors) {
    std::vector<double> weights;
    for (const double value : values) weights.push_back(1.0 / (value * value));
    return ChangePointSearch(points).find(values, weights, priors, 0.1);
}

double three_regimes(std::span<const double> x) {
    return x[0] <= 10 ? 10 + x[0] : x[0] <= 20 ? 200 + 0.5 * x[0] * x[0] : 5000 + 100 * x[0];
}

TEST(ChangePoints, AreWhereTheFormChanges) {
    const std::vector<double> points = counting(30);
    const ChangePoints found = find(points, values_at(points, three_regimes), unknown_noise);
    ASSERT_EQ(found.best_way.size(), 3U);
    const std::array<std::size_t, 4> ends{0, 10, 20, 30};
    for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_EQ(found.best_way[r].begin, ends[r]);
        EXPECT_EQ(found.best_way[r].end, ends[r + 1]);
        EXPECT_GT(found.best_way[r].probability, 0.99);
    }
    EXPECT_LT(found.variance, 1e-8) << "the values are exact";
}

TEST(ChangePoints, EachPointLiesInSomeRegime) {
    const std::vector<double> points = counting(14);
    const auto wavy = [](std::span<const double> x) { return 5 + x[0] * (1.0 + 0.3 * std::sin(x[0])); };
    const ChangePoints found = find(points, values_at(points, wavy), unknown_noise);
    std::vector<double> probability(points.size(), 0.0);
    for (const Regime& regime : found.regimes) {
        for (std::size_t i = regime.begin; i < regime.end; ++i) probability[i] += regime.probability;
    }
    for (const double p : probability) {
        EXPECT_LE(p, 1.0 + 1e-9);
        EXPECT_GT(p, 0.8) << "what is missing are regimes with a probability below 0.005";
    }
}

TEST(ChangePoints, HaveTheEvidenceOfTheirForms) {
    // Six points have one place for a change, so the evidence is that of both halves, form by form. Of a
    // known variance, `FormEvidence` takes each half by itself.
    const std::vector<double> points{4, 5, 7, 8, 10, 13};
    const std::vector<double> values{10.0, 10.1, 9.9, 62.0, 79.0, 101.0};
    const double variance = 4e-4;
    const std::vector<NoisePrior> known{{.log_weight = 0.0, .degrees_of_freedom = 1e6, .variance = variance}};
    const AxisTable table(points, 0);
    double expected = std::log(0.1 / 0.9);
    for (const std::size_t begin : {std::size_t{0}, std::size_t{3}}) {
        const std::span<const double> half = std::span(values).subspan(begin, 3);
        std::vector<double> weights;
        for (const double value : half) weights.push_back(1.0 / (value * value));
        FormEvidence evidence;
        evidence.set_values(half, half, known, false);
        evidence.set_weights(weights);
        double sum = 0.0;
        const std::vector<double> one(3, 1.0);
        const auto add = [&](std::initializer_list<const double*> columns, double prior) {
            LinearFit fit;
            const bool has_constant = columns.size() == 2;
            if (!evidence.fit(std::span(columns),
                              {.has_constant = has_constant, .coefficients = columns.size()}, fit))
                return;
            sum += prior * std::exp(fit.log_evidence);
        };
        add({one.data()}, 0.2);
        for (const bool rises : {true, false}) {
            const std::span<const FunctionId> functions = rises ? rising_functions() : falling_functions();
            const double prior = (rises ? 0.6 : 0.15) / static_cast<double>(functions.size());
            for (const FunctionId f : functions) {
                const double* column = table.column(f).subspan(begin).data();
                add({column}, prior / 3.0);
                add({one.data(), column}, prior * 2.0 / 3.0);
                if (rises) continue;
                std::vector<double> less(column, column + 3);
                for (double& value : less) value = -value;
                add({one.data(), less.data()}, 0.05 / static_cast<double>(functions.size()));
            }
        }
        expected += std::log(sum);
    }
    EXPECT_NEAR(find(points, values, known).log_evidence, expected, 0.1);
}

TEST(ChangePoints, DoNotDependOnUnits) {
    const std::vector<double> points = test::powers_of_two(0, 9);
    std::vector<double> values{3, 5, 9, 16, 40, 110, 200, 450, 900, 1700};
    const ChangePoints found = find(points, values, unknown_noise);
    for (double& value : values) value *= 1024.0;
    const ChangePoints again = find(points, values, unknown_noise);
    EXPECT_NEAR(found.log_evidence, again.log_evidence, 1e-9);
    EXPECT_NEAR(found.variance, again.variance, 1e-9 * found.variance);
}

TEST(ChangePoints, OfManyPointsAreFoundCoarselyAndThenExactly) {
    const std::vector<double> points = counting(200);
    const auto jump = [](std::span<const double> x) { return x[0] <= 122 ? 10 + x[0] : 300 + x[0]; };
    const std::vector<double> values = values_at(points, jump);
    std::vector<double> weights;
    for (const double value : values) weights.push_back(1.0 / (value * value));
    ChangePointSearch coarse(points);
    EXPECT_EQ(coarse.stride(), 4U);
    const ChangePoints about = coarse.find(values, weights, unknown_noise, 0.1);
    ASSERT_GE(about.best_way.size(), 2U);
    ChangePointSearch fine(points, about.best_way, coarse.stride());
    const ChangePoints found = fine.find(values, weights, unknown_noise, 0.1);
    ASSERT_EQ(found.best_way.size(), 2U);
    EXPECT_EQ(found.best_way.front().end, 122U);
}

}  // namespace
}  // namespace plimsoll::model::detail
