#include "plimsoll/model/law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/model/growth.hpp"
#include "test/support/experiment_maker.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

const std::vector<std::string> p{"p"};

Law exponential(double rate, LawArgument of = LawArgument::linear) {
    return {.kind = LawKind::exponential, .rate = rate, .of = of};
}

const Law factorial{.kind = LawKind::factorial};

Function function_of(const Law& law, int power, double coefficient = 1.0) {
    Function function;
    function.terms.push_back({.coefficient = coefficient,
                              .factors = {{.parameter = 0,
                                           .exponent = Rational(power),
                                           .log_exponent = Rational(0),
                                           .segments = {},
                                           .law = law}}});
    return function;
}

double at(const Function& function, double x) { return function(std::vector<double>{x}); }

Fit fit_of(const std::vector<double>& points, const test::Planted& truth, double noise, int repetitions,
           std::uint64_t seed, bool with_laws = true) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(1.0, noise);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(p, {});
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    for (const double x : points) {
        const std::vector<double> point{x};
        std::vector<double> runs;
        for (int r = 0; r < repetitions; ++r) runs.push_back(truth(point) * normal(random));
        builder.add_repetitions(series, builder.point(point, {}), runs, {});
    }
    FitOptions options;
    options.laws.on = with_laws;
    return fit_all(builder.build(), options, 1, silent()).front();
}

std::vector<double> range(double from, double to, double step) {
    std::vector<double> values;
    for (double x = from; x <= to; x += step) values.push_back(x);
    return values;
}

TEST(Law, HasTheValueOfItsFormula) {
    EXPECT_NEAR(at(function_of(factorial, 0), 5.0), 120.0, 1e-9);
    EXPECT_NEAR(at(function_of(factorial, -1), 5.0), 24.0, 1e-9);
    EXPECT_NEAR(at(function_of(exponential(1.0), 2), 5.0), 25.0 * 32.0, 1e-9);
    EXPECT_NEAR(at(function_of(exponential(0.5, LawArgument::times_log), 0), 4.0), 16.0, 1e-9);
    EXPECT_NEAR(at(function_of(exponential(2.0, LawArgument::over_log), 0), 4.0), 16.0, 1e-9);
    EXPECT_NEAR(at(function_of(exponential(3.0, LawArgument::root), 0), 4.0), 64.0, 1e-9);
    EXPECT_NEAR(at(function_of(exponential(0.25, LawArgument::square), 0), 4.0), 16.0, 1e-9);
}

TEST(Law, NeedsNoNumberForItselfWhereItsTermHasOne) {
    // 200! is beyond all numbers, 1e-300 200! is not.
    EXPECT_NEAR(std::log(at(function_of(factorial, 0, 1e-300), 200.0)),
                std::lgamma(201.0) - 300.0 * std::log(10.0), 1e-9);
}

TEST(Law, IsWrittenInEachLanguage) {
    const auto in = [](const Law& law, int power, FormulaStyle style) {
        return formula(function_of(law, power), p, style);
    };
    EXPECT_EQ(in(exponential(1.0), 1, FormulaStyle::text), "p * 2^p");
    EXPECT_EQ(in(exponential(0.25, LawArgument::times_log), 0, FormulaStyle::text), "2^(0.25 * p * log2(p))");
    EXPECT_EQ(in(exponential(0.25, LawArgument::over_log), 0, FormulaStyle::c), "exp2(0.25 * p / log2(p))");
    EXPECT_EQ(in(exponential(0.25, LawArgument::square), 0, FormulaStyle::python), "2**(0.25 * p**(2))");
    EXPECT_EQ(in(exponential(0.25, LawArgument::root), 0, FormulaStyle::latex), "$2^{0.25 \\cdot p^{1/2}}$");
    EXPECT_EQ(in(factorial, 0, FormulaStyle::text), "p!");
    EXPECT_EQ(in(factorial, -1, FormulaStyle::text), "(p - 1)!");
    EXPECT_EQ(in(factorial, 1, FormulaStyle::c), "p * tgamma(p + 1.0)");
    EXPECT_EQ(in(factorial, -1, FormulaStyle::python), "math.gamma(p)");
}

TEST(Law, OutgrowsEveryPower) {
    const std::vector<Law> rising{{},
                                  exponential(9.0, LawArgument::root),
                                  exponential(0.1, LawArgument::over_log),
                                  exponential(0.1),
                                  exponential(0.2),
                                  exponential(0.9, LawArgument::times_log),
                                  factorial,
                                  exponential(1.0, LawArgument::times_log),
                                  exponential(0.01, LawArgument::square)};
    for (std::size_t i = 0; i < rising.size(); ++i) {
        for (std::size_t j = 0; j < rising.size(); ++j) {
            SCOPED_TRACE(i * 10 + j);
            const int expected = i < j ? -1 : i > j ? 1 : 0;
            EXPECT_EQ(compare_growth(rising[i], rising[j]), expected);
        }
    }
    Function both = function_of(exponential(0.1), 0);
    both.terms.push_back(function_of({}, 3).terms.front());
    EXPECT_EQ(growth(both, p), "2^(0.1 * p)");
}

TEST(Laws, AreFoundAndPredictFarBeyondTheRange) {
    struct Example {
        std::string growth;  // how it begins
        std::vector<double> points;
        test::Planted truth;
        double far;
    };
    const std::vector<Example> examples{
        {"2^(0.4", range(10, 34, 4), [](auto x) { return 5.0 + 0.01 * std::exp2(0.4 * x[0]); }, 60.0},
        {"2^(", range(40, 80, 5), [](auto x) { return 1e-9 * std::exp2(0.1 * x[0] * std::log2(x[0])); },
         120.0},
        {"p!", range(5, 12, 1), [](auto x) { return 1e-6 * std::tgamma(x[0] + 1.0); }, 20.0}};
    for (const Example& example : examples) {
        const Fit fit = fit_of(example.points, example.truth, 0.005, 3, 7);
        SCOPED_TRACE(formula(fit.function, p));
        EXPECT_TRUE(growth(fit.function, p).starts_with(example.growth));
        const std::vector<double> far{example.far};
        const Estimate e = estimate(fit.posterior, far, 0.99);
        EXPECT_LE(e.low, example.truth(far));
        EXPECT_GE(e.high, example.truth(far));
        EXPECT_LT(e.high / e.low, 10.0);
    }
}

TEST(Laws, LeavePowersAlone) {
    const auto linear = [](auto x) { return 3.0 + 0.2 * x[0]; };
    const std::vector<double> points = test::powers_of_two(2, 7);
    EXPECT_EQ(growth(fit_of(points, linear, 0.01, 4, 3).function, p), "p");
    const Fit without = fit_of(points, linear, 0.01, 4, 3, false);
    EXPECT_FALSE(without.posterior.forms.has_laws());
}

TEST(Laws, PredictNumbersHoweverFarOut) {
    const Fit fit = fit_of(
        range(10, 34, 4), [](auto x) { return std::exp2(x[0]); }, 0.01, 3, 5);
    const std::vector<double> far{1e6};
    const Estimate e = estimate(fit.posterior, far, 0.9);
    EXPECT_EQ(e.high, std::numeric_limits<double>::max()) << "no number holds it";
    EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.low));
}

TEST(Laws, HoldWhatTheirIntervalsPromise) {
    // Of 100 intervals of 90 %, 80 to 99 hold the value (binomial, beyond its 1e-3 limits).
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const double rate = 0.2 + 0.01 * static_cast<double>(seed % 30);
        const auto truth = [=](std::span<const double> x) { return 2.0 + 0.01 * std::exp2(rate * x[0]); };
        const Fit fit = fit_of(range(10, 40, 5), truth, 0.03, 4, seed);
        const std::vector<double> far{60.0};
        const Estimate e = estimate(fit.posterior, far, 0.9);
        covered += e.low <= truth(far) && truth(far) <= e.high ? 1 : 0;
    }
    EXPECT_GE(covered, 80);
    EXPECT_LE(covered, 99);
}

TEST(Laws, ArePackedWithTheirForms) {
    WeighedForm form{.probability = 1.0,
                     .function = function_of(exponential(0.25, LawArgument::square), 2, 3.0),
                     .has_constant = false,
                     .degrees_of_freedom = 4.0,
                     .free_parameters = {0},
                     .covariance = {1.0, 0.5, 2.0}};
    const FormList forms{form};
    EXPECT_TRUE(forms.has_laws());
    const WeighedForm same = forms[0];
    const Factor& factor = same.function.terms.front().factors.front();
    EXPECT_EQ(factor.law.kind, LawKind::exponential);
    EXPECT_EQ(factor.law.of, LawArgument::square);
    EXPECT_EQ(factor.law.rate, 0.25);
    EXPECT_EQ(factor.exponent, Rational(2));
    EXPECT_EQ(same.covariance, form.covariance);
}

}  // namespace
}  // namespace plimsoll::model
