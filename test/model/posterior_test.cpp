#include "plimsoll/model/posterior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {
namespace {

Function linear(double constant, double slope) {
    Function f;
    f.constant = constant;
    f.terms.push_back(
        {.coefficient = slope,
         .factors = {
             {.parameter = 0, .exponent = Rational(1), .log_exponent = Rational(0), .segments = {}}}});
    return f;
}

WeighedForm form(double probability, double constant, double slope, std::vector<double> covariance) {
    return {.probability = probability,
            .function = linear(constant, slope),
            .has_constant = true,
            .degrees_of_freedom = 12.0,
            .free_parameters = {},
            .covariance = std::move(covariance)};
}

const std::vector<double> at{10.0};

TEST(Estimate, OfOneFormIsItsStudentInterval) {
    Posterior posterior;
    posterior.forms = {form(1.0, 5.0, 2.0, {0.04, -0.001, 0.0009})};
    posterior.middle = {4.0};
    const Estimate e = estimate(posterior, at, 0.9);
    const double deviation = std::sqrt(0.04 - 2.0 * 10.0 * 0.001 + 100.0 * 0.0009);
    EXPECT_NEAR(e.value, 25.0, 1e-6);
    EXPECT_NEAR(e.high, 25.0 + numeric::student_quantile(0.95, 12.0) * deviation, 1e-5);
    EXPECT_NEAR(e.low, 25.0 - numeric::student_quantile(0.95, 12.0) * deviation, 1e-5);
}

TEST(Estimate, HoldsItsCoverageOfAMixture) {
    Posterior posterior;
    posterior.forms = {form(0.7, 5.0, 2.0, {0.04, 0.0, 0.0}), form(0.3, 5.0, 3.0, {0.04, 0.0, 0.0})};
    posterior.middle = {4.0};
    const Estimate wide = estimate(posterior, at, 0.9);
    EXPECT_LT(wide.low, 25.0);
    EXPECT_GT(wide.high, 35.0) << "three of ten lie about 35";
    const Estimate narrow = estimate(posterior, at, 0.2);
    EXPECT_LT(narrow.high, 30.0) << "60 % lie below";
    EXPECT_GT(wide.value, 24.0);
    EXPECT_LT(wide.value, 26.0);
}

TEST(Estimate, WidensWithCoverage) {
    Posterior posterior;
    posterior.forms = {form(0.6, 5.0, 2.0, {0.04, 0.0, 0.01}), form(0.4, 4.0, 2.5, {0.1, 0.0, 0.0})};
    posterior.middle = {4.0};
    double before = 0.0;
    for (const double coverage : {0.1, 0.5, 0.8, 0.9, 0.95, 0.99}) {
        const Estimate e = estimate(posterior, at, coverage);
        EXPECT_LE(e.low, e.value);
        EXPECT_GE(e.high, e.value);
        EXPECT_GT(e.high - e.low, before);
        before = e.high - e.low;
    }
}

TEST(Estimate, CountsTheUncertaintyOfFreeExponents) {
    Posterior posterior;
    posterior.forms = {{.probability = 1.0,
                        .function = linear(0.0, 2.0),
                        .has_constant = false,
                        .degrees_of_freedom = 1e9,
                        .free_parameters = {0},
                        .covariance = {0.0, 0.0, 1e-6}}};
    posterior.middle = {10.0};
    const Estimate near = estimate(posterior, at, 0.9);
    EXPECT_NEAR(near.high - near.low, 0.0, 1e-6) << "exponents turn about the middle";
    const std::vector<double> far{1000.0};
    const Estimate beyond = estimate(posterior, far, 0.9);
    const double deviation = 2000.0 * std::log(100.0) * 1e-3;
    EXPECT_NEAR(beyond.high - beyond.low, 2.0 * 1.6448536 * deviation, 1e-3 * deviation);
}

TEST(Estimate, KeepsItsDigitsWhereFormsDifferByManyOrders) {
    // Nine of ten lie at 1, one at 1e25: the median and the lower end do not depend on how far that one is.
    Posterior posterior;
    posterior.forms = {form(0.9, 1.0, 0.0, {0.01, 0.0, 0.0}), form(0.1, 1.0, 1e24, {0.01, 0.0, 1e40})};
    posterior.middle = {4.0};
    for (const double coverage : {0.5, 0.9}) {
        SCOPED_TRACE(coverage);
        const Estimate e = estimate(posterior, at, coverage);
        const double tail = 0.5 * (1.0 - coverage);
        const double normal = -numeric::normal_quantile(tail);
        const double deviation = 0.1 * numeric::student_of_normal_quantile(normal, 12.0) / normal;
        EXPECT_NEAR(e.value, 1.0 + deviation * numeric::normal_quantile(0.5 / 0.9), 1e-6);
        EXPECT_NEAR(e.low, 1.0 + deviation * numeric::normal_quantile(tail / 0.9), 1e-6);
        EXPECT_EQ(e.high > 1e24, coverage > 0.8);
    }
}

TEST(Estimate, IsNotNegativeUnlessValuesAre) {
    Posterior posterior;
    posterior.forms = {form(1.0, 0.1, 0.0, {4.0, 0.0, 0.0})};
    posterior.middle = {4.0};
    EXPECT_EQ(estimate(posterior, at, 0.9).low, 0.0);
    posterior.may_be_negative = true;
    EXPECT_LT(estimate(posterior, at, 0.9).low, 0.0);
}

TEST(Estimate, AddsTheDiscrepancyBeyondTheRange) {
    Posterior posterior;
    posterior.forms = {form(1.0, 5.0, 2.0, {0.0, 0.0, 0.0})};
    posterior.middle = {4.0};
    posterior.largest = {20.0};
    posterior.step = {2.0};
    posterior.discrepancy = 0.05;
    EXPECT_NEAR(estimate(posterior, at, 0.9).high, 25.0, 1e-6) << "inside the range";
    const std::vector<double> two_steps{80.0};
    const Estimate e = estimate(posterior, two_steps, 0.9);
    EXPECT_NEAR(e.high - e.value, 165.0 * 0.1 * 1.6448536, 1e-3);
}

TEST(Estimate, IsNoNumberWhereFormsHaveNoValue) {
    Posterior posterior;
    Function root;
    root.terms.push_back(
        {.coefficient = 1.0,
         .factors = {
             {.parameter = 0, .exponent = Rational(1, 2), .log_exponent = Rational(0), .segments = {}}}});
    posterior.forms = {{.probability = 0.9,
                        .function = root,
                        .has_constant = false,
                        .degrees_of_freedom = 5.0,
                        .free_parameters = {},
                        .covariance = {0.1}},
                       form(0.1, 1.0, 1.0, {0.1, 0.0, 0.1})};
    posterior.middle = {4.0};
    const std::vector<double> negative{-1.0};
    EXPECT_TRUE(std::isnan(estimate(posterior, negative, 0.9).value));
    EXPECT_FALSE(std::isnan(estimate(posterior, at, 0.9).value));
}

TEST(FormList, KeepsFormsAsTheyAre) {
    WeighedForm with_everything = form(0.25, 1.5, 2.5, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
    with_everything.free_parameters = {1};
    with_everything.function.terms.front().factors.push_back({.parameter = 1,
                                                              .exponent = Rational(-1234567, 1000000),
                                                              .log_exponent = Rational(2),
                                                              .segments = {}});
    WeighedForm bare{.probability = 0.75,
                     .function = {},
                     .has_constant = true,
                     .degrees_of_freedom = 3.0,
                     .free_parameters = {},
                     .covariance = {7.0}};
    bare.function.constant = -4.0;
    const FormList list{bare, with_everything, bare};
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list.probability(1), 0.25);
    const WeighedForm back = list[1];
    EXPECT_EQ(back.function.constant, 1.5);
    ASSERT_EQ(back.function.terms.size(), 1U);
    EXPECT_EQ(back.function.terms[0].coefficient, 2.5);
    ASSERT_EQ(back.function.terms[0].factors.size(), 2U);
    EXPECT_EQ(back.function.terms[0].factors[1].parameter, 1U);
    EXPECT_EQ(back.function.terms[0].factors[1].exponent, Rational(-1234567, 1000000));
    EXPECT_EQ(back.function.terms[0].factors[1].log_exponent, Rational(2));
    EXPECT_EQ(back.free_parameters, with_everything.free_parameters);
    EXPECT_EQ(back.covariance, with_everything.covariance);
    EXPECT_EQ(list.function(2).constant, -4.0);
    EXPECT_FALSE(FormList::can_hold(Rational(1, 3000000000)));
}

TEST(LeadingForms, StopAtOneInAHundred) {
    Posterior posterior;
    posterior.forms = {form(0.9, 1, 1, {0, 0, 0}), form(0.095, 1, 1, {0, 0, 0}),
                       form(0.005, 1, 1, {0, 0, 0})};
    EXPECT_EQ(leading_forms(posterior).size(), 2U);
}

/// 5 + 2 x up to 10, then 100 + x; or 20 everywhere.
Posterior with_a_change() {
    Posterior posterior;
    WeighedForm before = form(0.8, 5.0, 2.0, {1e-6, 0.0, 0.0});
    before.range.to = 16.0;
    WeighedForm behind = form(0.8, 100.0, 1.0, {1e-6, 0.0, 0.0});
    behind.range.from = 8.0;
    posterior.forms = {before, behind, form(0.2, 20.0, 0.0, {1e-6, 0.0, 0.0})};
    return posterior;
}

TEST(FormList, KeepsRanges) {
    const Posterior posterior = with_a_change();
    EXPECT_EQ(posterior.forms[0].range.to, 16.0);
    EXPECT_TRUE(posterior.forms.range(0).is_first());
    EXPECT_EQ(posterior.forms.range(1).from, 8.0);
    EXPECT_TRUE(posterior.forms.range(1).is_last());
    EXPECT_TRUE(posterior.forms.range(2).is_everywhere());
    EXPECT_EQ(posterior.forms[1].function.constant, 100.0);
    EXPECT_EQ(posterior.forms[1].covariance.front(), 1e-6);
}

TEST(Estimate, AsksTheFormsThatCountAtAPoint) {
    const Posterior posterior = with_a_change();
    EXPECT_NEAR(estimate(posterior, std::vector<double>{8.0}, 0.5).value, 21.0, 0.1);
    EXPECT_NEAR(estimate(posterior, std::vector<double>{16.0}, 0.5).value, 116.0, 0.1);
    EXPECT_NEAR(log_moments(posterior, std::vector<double>{16.0}).mean,
                0.8 * std::log(116) + 0.2 * std::log(20), 1e-3);
    const Estimate between = estimate(posterior, std::vector<double>{12.0}, 0.8);
    EXPECT_NEAR(between.low, 20.0, 0.1) << "the lowest of three: its probability is a ninth";
    EXPECT_NEAR(between.high, 112.0, 0.1);
}

TEST(LeadingForms, HoldBeyondTheMeasuredValues) {
    const std::vector<WeighedForm> leading = leading_forms(with_a_change());
    ASSERT_EQ(leading.size(), 2U);
    EXPECT_EQ(leading[0].function.constant, 100.0);
    EXPECT_EQ(leading[1].function.constant, 20.0);
}

}  // namespace
}  // namespace plimsoll::model
