#include "plimsoll/model/detail/form_design.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace plimsoll::model::detail {
namespace {

Line solve(const std::vector<double>& column, const std::vector<double>& y) {
    std::vector<double> matrix;
    for (const double t : column) matrix.insert(matrix.end(), {1.0, t});
    const std::vector<double> solution = numeric::solve_least_squares(matrix, 2, y);
    return {.constant = solution[0], .slope = solution[1]};
}

struct Folds {
    std::vector<double> predictions;
    int cleaned = 0;  ///< folds in which the constant was taken away
};

/// The slow plain reference: leave a point out, solve, clean the constant, predict the point.
Folds refit_without_each(const std::vector<double>& column, const std::vector<double>& y) {
    Folds folds;
    for (std::size_t left_out = 0; left_out < y.size(); ++left_out) {
        std::vector<double> others_column = column;
        std::vector<double> others = y;
        others_column.erase(others_column.begin() + static_cast<std::ptrdiff_t>(left_out));
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
        Line line = solve(others_column, others);
        const double smallest = *std::min_element(others.begin(), others.end());
        const double share = smallest == 0.0 ? std::abs(line.constant) : std::abs(line.constant / smallest);
        if (share < 0.0005) {
            line.constant = 0.0;
            ++folds.cleaned;
        }
        folds.predictions.push_back(line.constant + line.slope * column[left_out]);
    }
    return folds;
}

std::vector<double> column_of(const FormDesign& design) {
    return {design.column().begin(), design.column().end()};
}

std::vector<double> predictions_of(const FormDesign& design, const std::vector<double>& y) {
    const Values values(y);
    std::vector<double> predictions(y.size(), -1.0);
    design.leave_each_out(values, design.fit(values), [&](std::size_t i, double prediction) {
        EXPECT_EQ(predictions[i], -1.0) << "each point is visited once";
        predictions[i] = prediction;
    });
    return predictions;
}

/// Compares fit and folds with the reference, to a share of the largest value. Returns the folds cleaned.
int expect_reference(const Form& form, const std::vector<double>& x, const std::vector<double>& y,
                     double tolerance) {
    const auto design = FormDesign::make(form, x);
    EXPECT_NE(design, nullptr);
    if (design == nullptr) return 0;
    double largest = 0.0;
    for (const double value : y) largest = std::max(largest, std::abs(value));
    const Line line = design->fit(Values(y));
    const Line expected = solve(column_of(*design), y);
    for (const double t : design->column()) {
        EXPECT_NEAR(line.constant + line.slope * t, expected.constant + expected.slope * t,
                    tolerance * largest);
    }
    const Folds folds = refit_without_each(column_of(*design), y);
    const std::vector<double> seen = predictions_of(*design, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double scale = std::max(largest, std::abs(folds.predictions[i]));
        EXPECT_NEAR(seen[i], folds.predictions[i], tolerance * scale) << "without point " << i;
    }
    return folds.cleaned;
}

TEST(FormDesign, EqualsSolvingAgainWithoutEachPointForEveryForm) {
    const std::vector<double> x{4, 8, 16, 32, 64, 100};
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(1.0, 2.0);
    for (const Form& form : candidate_forms({.negative_exponents = true})) {
        SCOPED_TRACE(numeric::to_text(form.exponent) + " " + numeric::to_text(form.log_exponent));
        for (int round = 0; round < 4; ++round) {
            std::vector<double> y;
            for (const double value : x) y.push_back(uniform(random) + (round % 2 == 0 ? 0.0 : value));
            expect_reference(form, x, y, 1e-9);
        }
    }
}

TEST(FormDesign, TakesAwayAConstantThatIsNegligibleInAFold) {
    const std::vector<double> x{4, 8, 16, 32, 64};
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    int cleaned = 0;
    int kept = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<double> y;
        // Nearly proportional, so that the constant is some 0.05 % of the smallest value.
        for (const double value : x) y.push_back(value * (1.0 + 2e-4 * normal(random)));
        const int folds = expect_reference({Rational(1), Rational(0)}, x, y, 1e-9);
        cleaned += folds;
        kept += static_cast<int>(x.size()) - folds;
    }
    EXPECT_GT(cleaned, 100) << "the examples are to show both cases";
    EXPECT_GT(kept, 100);
}

TEST(FormDesign, CleansBesideTheSmallestOfTheOtherValues) {
    const std::vector<double> x{1, 2, 3, 4, 5};
    // Smallest value zero, negative, twice there, and an outlier that alone makes the constant negligible.
    const std::vector<std::vector<double>> cases{{0, 1, 2, 3, 4},      {0, 0, 1, 1, 2},   {-5, -3, -1, 1, 3},
                                                 {1, 1, 1, 2, 2},      {-1, 1, -1, 1, 0}, {1e-9, 1, 2, 3, 4},
                                                 {0.0001, 2, 3, 4, 5}, {0, 2, 4, 6, 8},   {-1e6, 1, 2, 3, 4}};
    for (const std::vector<double>& y : cases) {
        SCOPED_TRACE(testing::PrintToString(y));
        expect_reference({Rational(1), Rational(0)}, x, y, 1e-12);
        expect_reference({Rational(2), Rational(0)}, x, y, 1e-12);
    }
}

TEST(FormDesign, SolvesBySingularValuesWhereTheConstantDrowns) {
    // x^3 is 1e21: beside it a column of ones is below the cut-off, and the answer has no constant.
    const std::vector<double> x{1e7, 1.1e7, 1.3e7, 2e7, 3e7};
    const Form cubic{Rational(3), Rational(0)};
    std::vector<double> y;
    for (const double value : x) y.push_back(100.0 + 1e-20 * value * value * value);
    expect_reference(cubic, x, y, 1e-9);
    const auto design = FormDesign::make(cubic, x);
    ASSERT_NE(design, nullptr);
    const Values values(y);
    EXPECT_NEAR(design->fit(values).constant, 0.0, 1e-12);
}

TEST(FormDesign, SplitsTheValueBetweenColumnsThatAreTheSame) {
    const std::vector<double> x(5, 8.0);
    const std::vector<double> y{1, 2, 3, 4, 5};
    expect_reference({Rational(1), Rational(0)}, x, y, 1e-12);
    const auto design = FormDesign::make({Rational(1), Rational(0)}, x);
    ASSERT_NE(design, nullptr);
    const Line line = design->fit(Values(y));
    EXPECT_NEAR(line.constant + 8.0 * line.slope, 3.0, 1e-12) << "the mean is all that can be said";
    EXPECT_NEAR(line.slope, 8.0 * line.constant, 1e-12) << "the shortest answer is along (1, 8)";
}

TEST(FormDesign, LeavesOutThePointThatAloneDeterminesTheSlope) {
    const std::vector<double> x{2, 2, 2, 2, 7};
    const std::vector<double> y{1, 2, 3, 4, 50};
    for (const Form& form : candidate_forms({})) expect_reference(form, x, y, 1e-9);
}

TEST(FormDesign, TakesTwoPoints) {
    const std::vector<double> x{4, 8};
    for (const Form& form : candidate_forms({})) expect_reference(form, x, {3.0, 5.0}, 1e-9);
}

TEST(FormDesign, KnowsNoPredictionOfASinglePoint) {
    const std::vector<double> x{4};
    const std::vector<double> y{3};
    const auto design = FormDesign::make({Rational(1), Rational(0)}, x);
    ASSERT_NE(design, nullptr);
    const Line line = design->fit(Values(y));
    EXPECT_NEAR(line.constant + 4.0 * line.slope, 3.0, 1e-14);
    EXPECT_TRUE(std::isnan(predictions_of(*design, y).front()));
}

TEST(FormDesign, IsMadeOnlyWhereTheFormIsDefined) {
    const auto defined = [](Rational exponent, Rational log_exponent, double x) {
        return FormDesign::make({exponent, log_exponent}, std::vector<double>{1.0, x, 3.0}) != nullptr;
    };
    EXPECT_TRUE(defined(2, 0, -1.0));
    EXPECT_TRUE(defined(1, 0, 0.0));
    EXPECT_FALSE(defined(Rational(1, 2), 0, -1.0)) << "a root of a negative value";
    EXPECT_FALSE(defined(-1, 0, 0.0)) << "a division by zero";
    EXPECT_FALSE(defined(0, 1, 0.0)) << "a logarithm of zero";
    EXPECT_FALSE(defined(0, -1, 2.0)) << "log2(1) is zero";
    EXPECT_FALSE(defined(3, 0, 1e60)) << "squares overflow";
}

TEST(FormDesign, IgnoresAConstantBelowItsShareOfTheSmallestValue) {
    EXPECT_TRUE(FormDesign::is_negligible(0.00049, 1.0));
    EXPECT_FALSE(FormDesign::is_negligible(0.00051, 1.0));
    EXPECT_TRUE(FormDesign::is_negligible(-0.00049, 1.0));
    EXPECT_TRUE(FormDesign::is_negligible(0.049, -100.0));
    EXPECT_FALSE(FormDesign::is_negligible(-0.051, -100.0));
    EXPECT_TRUE(FormDesign::is_negligible(0.00049, 0.0)) << "beside zero, the share is of 1";
    EXPECT_FALSE(FormDesign::is_negligible(0.00051, 0.0));
    EXPECT_TRUE(FormDesign::is_negligible(0.00099, 1.0, 0.001));
}

TEST(Values, KeepTheSmallestAndTheNextForTheFoldWithoutIt) {
    const std::vector<double> y{4.0, 2.0, 9.0, 2.0};
    const Values values(y);
    EXPECT_EQ(values.mean, 4.25);
    EXPECT_EQ(values.minimum, 2.0);
    EXPECT_EQ(values.minimum_at, 1U);
    EXPECT_EQ(values.second_minimum, 2.0);
    EXPECT_EQ(values.spread, 0.0625 + 5.0625 + 22.5625 + 5.0625);
}

}  // namespace
}  // namespace plimsoll::model::detail
