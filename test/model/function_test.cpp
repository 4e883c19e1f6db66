#include "plimsoll/model/function.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plimsoll::model {
namespace {

double at(const Function& function, std::vector<double> point) { return function(point); }

TEST(PowerLog, IsThePowerTimesThePowerOfTheLogarithm) {
    for (const double x : {1.0, 1.5, 2.0, 7.0, 1e6}) {
        for (const Rational& a :
             {Rational(0), Rational(1), Rational(2), Rational(3), Rational(3, 4), Rational(-1, 2)}) {
            for (const Rational& b : {Rational(0), Rational(1), Rational(2), Rational(-1)}) {
                if (x == 1.0 && b < Rational(0)) continue;
                SCOPED_TRACE(x);
                const double expected = std::pow(x, a.value()) * std::pow(std::log2(x), b.value());
                EXPECT_NEAR(power_log(x, a, b), expected, 1e-14 * expected);
            }
        }
    }
}

TEST(PowerLog, IsExactForWholePowersThatOccurOften) {
    const double x = 0.1;
    EXPECT_EQ(power_log(x, Rational(0), Rational(0)), 1.0);
    EXPECT_EQ(power_log(x, Rational(1), Rational(0)), x);
    EXPECT_EQ(power_log(x, Rational(2), Rational(0)), x * x);
    EXPECT_EQ(power_log(8.0, Rational(0), Rational(2)), 9.0);
}

TEST(PowerLog, IsNoNumberForAFractionalPowerOfANegativeValue) {
    EXPECT_TRUE(std::isnan(power_log(-2.0, Rational(1, 2), Rational(0))));
    EXPECT_EQ(power_log(-2.0, Rational(3), Rational(0)), -8.0);
}

TEST(Function, IsTheConstantAndTheSumOfItsTerms) {
    const Factor n{.parameter = 1, .exponent = 2};
    const Factor log_p{.parameter = 0, .log_exponent = 1};
    const Function function{.constant = 10.0,
                            .terms = {{.coefficient = 2.0, .factors = {n, log_p}},
                                      {.coefficient = -1.0, .factors = {n}},
                                      {.coefficient = 0.5, .factors = {}}}};
    EXPECT_EQ(at(function, {8.0, 3.0}), 10.0 + 2.0 * 9.0 * 3.0 - 9.0 + 0.5);
    EXPECT_EQ(at(Function{.constant = 4.0}, {8.0, 3.0}), 4.0);
}

TEST(Function, WithSegmentsCountsTheFirstWhereTwoMeet) {
    const Function function{.segments = {{.to = 10.0, .function = {.constant = 1.0}},
                                         {.from = 10.0, .to = 20.0, .function = {.constant = 2.0}}}};
    EXPECT_EQ(at(function, {-5.0}), 1.0);
    EXPECT_EQ(at(function, {10.0}), 1.0);
    EXPECT_EQ(at(function, {std::nextafter(10.0, 11.0)}), 2.0);
    EXPECT_EQ(at(function, {20.0}), 2.0);
    EXPECT_TRUE(std::isnan(at(function, {20.5}))) << "outside of all segments";
}

TEST(Function, TakesItsSegmentsAlongTheirParameter) {
    const Function function{.segment_parameter = 1,
                            .segments = {{.to = 1.0, .function = {.constant = 1.0}},
                                         {.from = 1.0, .function = {.constant = 2.0}}}};
    EXPECT_EQ(at(function, {100.0, 0.5}), 1.0);
    EXPECT_EQ(at(function, {0.5, 100.0}), 2.0);
}

TEST(Function, MultipliesByAPiecewiseFactor) {
    const Factor linear{.parameter = 0, .exponent = 1};
    const Function grows{.terms = {{.coefficient = 1.0, .factors = {linear}}}};
    const Factor piecewise{
        .parameter = 0,
        .segments = {{.to = 4.0, .function = grows}, {.from = 4.0, .function = {.constant = 4.0}}}};
    const Factor n{.parameter = 1, .exponent = 1};
    const Function function{.constant = 1.0, .terms = {{.coefficient = 3.0, .factors = {piecewise, n}}}};
    EXPECT_EQ(at(function, {2.0, 10.0}), 1.0 + 3.0 * 2.0 * 10.0);
    EXPECT_EQ(at(function, {64.0, 10.0}), 1.0 + 3.0 * 4.0 * 10.0);
}

}  // namespace
}  // namespace plimsoll::model
