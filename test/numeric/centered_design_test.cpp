#include "plimsoll/numeric/centered_design.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plimsoll/numeric/least_squares.hpp"

namespace plimsoll::numeric {
namespace {

/// The slow plain reference: leave a value out, solve again, predict it.
std::vector<double> by_refitting(const std::vector<std::vector<double>>& columns,
                                 const std::vector<double>& values) {
    std::vector<double> predictions;
    for (std::size_t left_out = 0; left_out < values.size(); ++left_out) {
        std::vector<double> matrix;
        std::vector<double> y;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i == left_out) continue;
            matrix.push_back(1.0);
            for (const auto& column : columns) matrix.push_back(column[i]);
            y.push_back(values[i]);
        }
        const std::vector<double> c = solve_least_squares(matrix, columns.size() + 1, y);
        double prediction = c[0];
        for (std::size_t k = 0; k < columns.size(); ++k) prediction += c[k + 1] * columns[k][left_out];
        predictions.push_back(prediction);
    }
    return predictions;
}

TEST(PredictEachFromOthers, EqualsRefittingWithoutEachPoint) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (std::size_t terms = 0; terms <= 4; ++terms) {
        SCOPED_TRACE(terms);
        std::vector<std::vector<double>> columns(terms, std::vector<double>(12));
        std::vector<double> values(12);
        for (auto& column : columns) {
            for (double& value : column) value = 100.0 + 10.0 * normal(random);
        }
        for (double& value : values) value = normal(random);
        const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
        const std::vector<double> expected = by_refitting(columns, values);
        const std::vector<double> seen = predict_each_from_others(spans, values);
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(seen[i], expected[i], 1e-9);
    }
}

TEST(PredictEachFromOthers, SurvivesDependentColumns) {
    const std::vector<double> x{1, 2, 3, 4, 5, 6};
    const std::vector<double> twice{2, 4, 6, 8, 10, 12};
    const std::vector<double> y{1.1, 1.9, 3.2, 3.9, 5.1, 5.8};
    const std::vector<std::span<const double>> both{x, twice};
    const std::vector<std::span<const double>> one{x};
    const auto seen = predict_each_from_others(both, y);
    const auto expected = predict_each_from_others(one, y);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(seen[i], expected[i], 1e-9);
}

TEST(PredictEachFromOthers, SaysNothingOfAPointThatNothingElseDetermines) {
    const std::vector<double> x{0, 0, 0, 1};
    const std::vector<double> y{1, 2, 3, 9};
    const std::vector<std::span<const double>> columns{x};
    const auto seen = predict_each_from_others(columns, y);
    EXPECT_TRUE(std::isnan(seen[3]));
    EXPECT_NEAR(seen[0], 2.5, 1e-12);
}

TEST(FactorCholesky, GivesAFactorWhoseSquareIsTheMatrix) {
    const std::vector<double> matrix{1.0, 0.5, 0.2, 0.5, 1.0, -0.3, 0.2, -0.3, 1.0};
    std::vector<double> lower(9);
    ASSERT_TRUE(factor_cholesky(matrix, 3, 1e-8, lower));
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            double sum = 0.0;
            for (std::size_t m = 0; m < 3; ++m) sum += lower[i * 3 + m] * lower[j * 3 + m];
            EXPECT_NEAR(sum, matrix[i * 3 + j], 1e-14);
        }
    }
    std::vector<double> b{1.0, 2.0, 3.0};
    solve_cholesky(lower, 3, b);
    for (std::size_t i = 0; i < 3; ++i) {
        double product = 0.0;
        for (std::size_t j = 0; j < 3; ++j) product += matrix[i * 3 + j] * b[j];
        EXPECT_NEAR(product, static_cast<double>(i + 1), 1e-13);
    }
}

TEST(FactorCholesky, RefusesDependentColumns) {
    const std::vector<double> matrix{1.0, 1.0, 1.0, 1.0};
    std::vector<double> lower(4);
    EXPECT_FALSE(factor_cholesky(matrix, 2, 1e-8, lower));
}

}  // namespace
}  // namespace plimsoll::numeric
