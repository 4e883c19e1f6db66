#include "plimsoll/model/detail/posterior/form_evidence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace plimsoll::model::detail {
namespace {

const std::vector<double> values{2.1, 3.9, 8.2, 15.7};
const std::vector<double> column{1.0, 2.0, 4.0, 8.0};
const std::vector<double> ones{1.0, 1.0, 1.0, 1.0};
const std::vector<double> falling{8.0, 4.0, 2.0, 1.0};

std::vector<double> weights() {
    std::vector<double> w;
    for (const double y : values) w.push_back(1.0 / (y * y));
    return w;
}

FormEvidence evidence_with(const std::vector<NoisePrior>& priors, bool may_be_negative = false) {
    FormEvidence evidence;
    evidence.set_values(values, values, priors, may_be_negative);
    evidence.set_weights(weights());
    return evidence;
}

/// ln of the integral over the share theta of the column and over the noise variance v, by sums over a fine
/// mesh: prod_i N(y_i; theta m t_i, v y_i^2) times the scaled inverse chi-square density of v.
double by_summing(const NoisePrior& prior) {
    double most = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) most = std::max(most, column[i] / values[i]);
    const double m = 1.0 / most;
    const double half = 0.5 * prior.degrees_of_freedom;
    double sum = 0.0;
    constexpr double step = 0.0005;
    constexpr double log_step = 0.01;
    for (double log_v = std::log(1e-7); log_v < std::log(10.0); log_v += log_step) {
        const double v = std::exp(log_v);
        const double of_v = half * std::log(half * prior.variance) - std::lgamma(half) -
                            (half + 1.0) * log_v - half * prior.variance / v;
        for (double theta = -1.0; theta < 3.0; theta += step) {
            double log_density = of_v;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double r = (values[i] - theta * m * column[i]) / values[i];
                log_density -= 0.5 * r * r / v + 0.5 * std::log(v);
            }
            sum += std::exp(log_density + log_v) * log_step * step;
        }
    }
    return std::log(sum);
}

TEST(FormEvidence, IsTheIntegralOverCoefficientAndNoise) {
    // Up to a constant that is the same for all forms and priors: (2 pi)^(-n/2), and the powers of two that
    // belong to it.
    const std::array<NoisePrior, 3> priors{NoisePrior{.degrees_of_freedom = 4.0, .variance = 0.001},
                                           NoisePrior{.degrees_of_freedom = 9.0, .variance = 0.01},
                                           NoisePrior{.degrees_of_freedom = 2.0, .variance = 0.0001}};
    std::vector<double> differences;
    for (const NoisePrior& prior : priors) {
        FormEvidence evidence = evidence_with({prior});
        LinearFit fit;
        const double* const columns[] = {column.data()};
        ASSERT_TRUE(evidence.fit(columns, {.coefficients = 1}, fit));
        differences.push_back(fit.log_evidence - by_summing(prior));
    }
    EXPECT_NEAR(differences[1], differences[0], 0.01);
    EXPECT_NEAR(differences[2], differences[0], 0.01);
}

TEST(FormEvidence, AddsTheNoisePriorsAsProbabilities) {
    const NoisePrior narrow{.log_weight = std::log(0.3), .degrees_of_freedom = 4.0, .variance = 0.001};
    const NoisePrior wide{.log_weight = std::log(0.7), .degrees_of_freedom = 2.0, .variance = 0.1};
    const double* const columns[] = {column.data()};
    LinearFit of_narrow;
    LinearFit of_wide;
    LinearFit of_both;
    ASSERT_TRUE(evidence_with({narrow}).fit(columns, {.coefficients = 1}, of_narrow));
    ASSERT_TRUE(evidence_with({wide}).fit(columns, {.coefficients = 1}, of_wide));
    ASSERT_TRUE(evidence_with({narrow, wide}).fit(columns, {.coefficients = 1}, of_both));
    EXPECT_NEAR(of_both.log_evidence, log_add(of_narrow.log_evidence, of_wide.log_evidence), 1e-9);
}

TEST(FormEvidence, FitsByWeightedLeastSquares) {
    LinearFit fit;
    FormEvidence evidence = evidence_with({{.degrees_of_freedom = 4.0, .variance = 0.001}});
    const double* const columns[] = {ones.data(), column.data()};
    ASSERT_TRUE(evidence.fit(columns, {.has_constant = true, .coefficients = 2}, fit));
    // The residuals are orthogonal to both columns, unless the constant was cut off at zero.
    double along_one = 0.0;
    double along_column = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double w = weights()[i];
        const double r = values[i] - fit.coefficients[0] - fit.coefficients[1] * column[i];
        along_one += w * r;
        along_column += w * r * column[i];
    }
    EXPECT_NEAR(along_one + along_column, 0.0, 0.05);
    EXPECT_GT(fit.coefficients[0], 0.0);
}

TEST(FormEvidence, KeepsCoefficientsPositiveAndCountsThatAgainstTheForm) {
    const std::vector<NoisePrior> priors{{.degrees_of_freedom = 20.0, .variance = 1e-4}};
    const double* const with_falling[] = {column.data(), falling.data()};
    LinearFit free;
    LinearFit kept;
    FormEvidence signed_values = evidence_with(priors, true);
    FormEvidence positive = evidence_with(priors, false);
    ASSERT_TRUE(signed_values.fit(with_falling, {.coefficients = 2}, free));
    ASSERT_TRUE(positive.fit(with_falling, {.coefficients = 2}, kept));
    EXPECT_GT(kept.coefficients[0], 0.0);
    EXPECT_GT(kept.coefficients[1], 0.0);
    EXPECT_LT(kept.log_evidence, free.log_evidence);
    EXPECT_LT(kept.covariance[2], free.covariance[2]) << "cutting off narrows";
}

TEST(FormEvidence, RefusesDependentColumns) {
    std::vector<double> twice;
    for (const double t : column) twice.push_back(2.0 * t);
    const double* const columns[] = {column.data(), twice.data()};
    LinearFit fit;
    EXPECT_FALSE(evidence_with({{.degrees_of_freedom = 4.0, .variance = 0.01}})
                     .fit(columns, {.coefficients = 2}, fit));
}

TEST(FormEvidence, IsRoughlyWhatTheRoughOneSays) {
    const std::vector<NoisePrior> priors{
        {.log_weight = std::log(0.6), .degrees_of_freedom = 8.0, .variance = 0.001},
        {.log_weight = std::log(0.4), .degrees_of_freedom = 1.5, .variance = 0.003}};
    FormEvidence evidence = evidence_with(priors);
    LinearFit fit;
    const double* const columns[] = {column.data()};
    ASSERT_TRUE(evidence.fit(columns, {.coefficients = 1}, fit));
    double most = 0.0;
    double gram = 0.0;
    double right = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        most = std::max(most, column[i] / values[i]);
        gram += weights()[i] * column[i] * column[i];
        right += weights()[i] * column[i] * values[i];
    }
    const double rss = static_cast<double>(values.size()) - right * right / gram;
    const std::vector<double> sums(7, rss);
    const std::vector<double> determinants(7, gram / (most * most));
    std::vector<double> ratings(7);
    evidence.rough_log_evidence(sums, determinants, 1, ratings);
    for (const double rating : ratings) {
        EXPECT_LE(rating, fit.log_evidence + 1e-3);
        EXPECT_GE(rating, fit.log_evidence - std::numbers::ln2 - 1e-3);
    }
}

TEST(FormEvidence, GoesOnWhereTheLastFitStopped) {
    FormEvidence whole = evidence_with({{.degrees_of_freedom = 4.0, .variance = 0.01}});
    FormEvidence stepwise = evidence_with({{.degrees_of_freedom = 4.0, .variance = 0.01}});
    const double* const columns[] = {ones.data(), column.data()};
    LinearFit at_once;
    LinearFit in_steps;
    ASSERT_TRUE(whole.fit(columns, {.has_constant = true, .coefficients = 2}, at_once));
    ASSERT_TRUE(stepwise.fit(std::span(columns, 1), {.coefficients = 1}, in_steps));
    ASSERT_TRUE(stepwise.fit(columns, {.has_constant = true, .coefficients = 2}, in_steps, 1));
    EXPECT_EQ(in_steps.log_evidence, at_once.log_evidence);
    EXPECT_EQ(in_steps.coefficients, at_once.coefficients);
}

}  // namespace
}  // namespace plimsoll::model::detail
