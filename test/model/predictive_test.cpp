#include "plimsoll/model/predictive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {
namespace {

/// A constant that is known with a normal error.
Posterior constant(double mean, double deviation) {
    return {.forms = {{.probability = 1.0,
                       .function = {.constant = mean},
                       .has_constant = true,
                       .degrees_of_freedom = 1e6,
                       .free_parameters = {},
                       .covariance = {deviation * deviation}}},
            .middle = {},
            .largest = {},
            .step = {}};
}

Predictive of(double mean, double deviation) {
    const std::vector<double> point{1.0};
    return predictive(constant(mean, deviation), {}, point);
}

TEST(Predictive, IsTheDistributionThatItStandsFor) {
    const Predictive values = of(10.0, 0.5);
    double total = 0.0;
    for (const Predictive::Slice& slice : values.slices) total += slice.weight;
    EXPECT_NEAR(total, 1.0, 1e-12);
    for (const double z : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        EXPECT_NEAR(values.at_most(10.0 + 0.5 * z), numeric::normal_cdf(z), 5e-3) << z;
    }
}

TEST(Predictive, IsTheValueAloneForOneForm) {
    const std::vector<double> point{1.0};
    const Predictive values = predictive({}, {.constant = 3.0}, point);
    ASSERT_EQ(values.slices.size(), 1U);
    EXPECT_EQ(values.at_most(3.0), 1.0);
    EXPECT_EQ(values.at_most(2.9), 0.0);
}

TEST(Predictive, SharesAndValuesAreTheReverseOfOneAnother) {
    const Predictive values = of(10.0, 0.5);
    for (const double share : {0.01, 0.05, 0.3, 0.5, 0.9, 0.99})
        EXPECT_NEAR(values.at_most(values.quantile(share)), share, 1e-12) << share;
}

/// Means add up, and so do variances.
TEST(Sum, OfIndependentValuesHasTheRootSumOfSquares) {
    std::vector<Predictive> values;
    for (int i = 0; i < 100; ++i) values.push_back(of(10.0, i % 2 == 0 ? 0.3 : 0.4));
    const Predictive total = sum(values);
    const double deviation = std::sqrt(50.0 * (0.09 + 0.16));
    EXPECT_NEAR(total.quantile(0.5), 1000.0, 0.02 * deviation);
    EXPECT_NEAR(total.quantile(0.95) - total.quantile(0.05), 2.0 * 1.645 * deviation, 0.2 * deviation);
}

TEST(Sum, OfValuesThatAreKnownIsTheirSum) {
    const Predictive known = {.slices = {{.value = 2.0, .weight = 1.0}}};
    EXPECT_EQ(sum({known, known, known}).quantile(0.5), 6.0);
    EXPECT_EQ(sum({}).quantile(0.5), 0.0);
    EXPECT_NEAR(sum({known, of(10.0, 0.5)}).quantile(0.9), of(12.0, 0.5).quantile(0.9), 1e-9);
    EXPECT_TRUE(sum({known, {}}).slices.empty());
}

/// A thousand products of weights add up to a little more than one.
TEST(Ratio, OfDistributionsFarApartIsSureAndNoMore) {
    for (const double deviation : {0.1, 0.3, 1.0}) {
        const double probability = ratio(of(1000.0, deviation), of(10.0, deviation), 0.9).above_one;
        EXPECT_LE(probability, 1.0);
        EXPECT_NEAR(probability, 1.0, 1e-12);
    }
}

TEST(Ratio, OfSmallErrorsHasTheirRootSumOfSquares) {
    const Ratio r = ratio(of(11.0, 0.11), of(10.0, 0.1), 0.9);
    const double deviation = std::hypot(0.01, 0.01) * 1.1;
    EXPECT_NEAR(r.estimate.value, 1.1, 0.002);
    EXPECT_NEAR(r.estimate.high - r.estimate.low, 2.0 * 1.645 * deviation, 0.03 * 2.0 * 1.645 * deviation);
    // The difference is normal with mean 1 and deviation hypot(0.11, 0.1).
    EXPECT_NEAR(r.above_one, 1.0, 1e-6);
    EXPECT_NEAR(ratio(of(10.0, 0.3), of(10.1, 0.4), 0.9).above_one, numeric::normal_cdf(-0.1 / 0.5), 0.02);
}

TEST(Ratio, OfEqualDistributionsIsDecidedByNothing) {
    EXPECT_NEAR(ratio(of(10.0, 0.3), of(10.0, 0.3), 0.9).above_one, 0.5, 1e-12);
    EXPECT_NEAR(ratio(of(10.0, 0.3), of(10.0, 0.3), 0.9).estimate.value, 1.0, 1e-3);
}

TEST(Ratio, IsNotANumberWhereTheDenominatorMayBeZero) {
    EXPECT_TRUE(std::isnan(ratio(of(1.0, 0.1), of(0.0, 0.0), 0.9).estimate.value));
    EXPECT_TRUE(std::isnan(ratio(of(1.0, 0.1), {}, 0.9).above_one));
}

}  // namespace
}  // namespace plimsoll::model
