#include "plimsoll/numeric/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "plimsoll/core/error.hpp"

namespace plimsoll::numeric {
namespace {

struct Problem {
    std::vector<double> matrix;
    std::vector<double> y;
    std::size_t columns;
};

/// Columns 1, x and random ones, with a random right-hand side.
Problem random_problem(unsigned seed, std::size_t rows, std::size_t columns) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Problem problem{.matrix = {}, .y = {}, .columns = columns};
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < columns; ++k) {
            problem.matrix.push_back(k == 0 ? 1.0 : k == 1 ? static_cast<double>(i) : normal(random));
        }
        problem.y.push_back(normal(random));
    }
    return problem;
}

double at(std::span<const double> matrix, std::size_t columns, std::size_t row, std::size_t column) {
    return matrix[row * columns + column];
}

std::vector<double> solve(const Design& design, std::span<const double> y) {
    std::vector<double> coefficients(design.columns());
    design.solve(y, coefficients);
    return coefficients;
}

std::vector<double> residuals(const Problem& problem, std::span<const double> coefficients) {
    std::vector<double> result = problem.y;
    for (std::size_t i = 0; i < result.size(); ++i) {
        for (std::size_t k = 0; k < problem.columns; ++k) {
            result[i] -= at(problem.matrix, problem.columns, i, k) * coefficients[k];
        }
    }
    return result;
}

TEST(Design, FindsPlantedCoefficients) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Problem problem = random_problem(seed, 12, 4);
        const std::vector<double> planted{2.0, -0.5, 3.0, 0.25};
        const Design design(problem.matrix, 4);
        for (std::size_t i = 0; i < 12; ++i) {
            problem.y[i] = 0.0;
            for (std::size_t k = 0; k < 4; ++k) problem.y[i] += at(problem.matrix, 4, i, k) * planted[k];
        }
        const std::vector<double> found = solve(design, problem.y);
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], planted[k], 1e-11);
        EXPECT_EQ(design.rank(), 4U);
        EXPECT_EQ(design.rows(), 12U);
    }
}

TEST(Design, LeavesResidualsAtRightAnglesToItsColumns) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Problem problem = random_problem(seed, 15, 3);
        const Design design(problem.matrix, 3);
        const std::vector<double> rest = residuals(problem, solve(design, problem.y));
        for (std::size_t k = 0; k < 3; ++k) {
            double product = 0.0;
            for (std::size_t i = 0; i < 15; ++i) product += at(problem.matrix, 3, i, k) * rest[i];
            EXPECT_NEAR(product, 0.0, 1e-11);
        }
    }
}

TEST(Design, LeveragesAddUpToTheRank) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Problem problem = random_problem(seed, 9, 3);
        const Design design(problem.matrix, 3);
        const auto leverage = design.leverage();
        EXPECT_NEAR(std::accumulate(leverage.begin(), leverage.end(), 0.0), 3.0, 1e-12);
        for (const double h : leverage) {
            EXPECT_GE(h, 0.0);
            EXPECT_LE(h, 1.0);
        }
    }
}

TEST(Design, LeverageTellsByHowMuchAPointIsMissedWhenItIsLeftOut) {
    const Problem problem = random_problem(4, 10, 3);
    const Design design(problem.matrix, 3);
    const std::vector<double> rest = residuals(problem, solve(design, problem.y));
    for (std::size_t left = 0; left < 10; ++left) {
        std::vector<double> matrix = problem.matrix;
        std::vector<double> y = problem.y;
        matrix.erase(matrix.begin() + static_cast<std::ptrdiff_t>(3 * left),
                     matrix.begin() + static_cast<std::ptrdiff_t>(3 * left + 3));
        y.erase(y.begin() + static_cast<std::ptrdiff_t>(left));
        const std::vector<double> coefficients = solve(Design(matrix, 3), y);
        double missed = problem.y[left];
        for (std::size_t k = 0; k < 3; ++k) missed -= at(problem.matrix, 3, left, k) * coefficients[k];
        EXPECT_NEAR(rest[left] / (1.0 - design.leverage()[left]), missed, 1e-11);
    }
}

TEST(Design, SharesACoefficientAmongEqualColumns) {
    // Of all solutions of c0 + c1 = 2 the one of minimum norm is (1, 1).
    const std::vector<double> matrix{1, 1, 2, 2, 3, 3};
    const std::vector<double> y{2, 4, 6};
    const Design design(matrix, 2);
    EXPECT_EQ(design.rank(), 1U);
    const std::vector<double> found = solve(design, y);
    EXPECT_NEAR(found[0], 1.0, 1e-14);
    EXPECT_NEAR(found[1], 1.0, 1e-14);
}

TEST(SolveLeastSquares, AgreesWithADesign) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Problem problem = random_problem(seed, 11, 4);
        const std::vector<double> expected = solve(Design(problem.matrix, 4), problem.y);
        const std::vector<double> found = solve_least_squares(problem.matrix, 4, problem.y);
        ASSERT_EQ(found.size(), 4U);
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
    }
}

TEST(SolveLeastSquares, KeepsANearlyDependentColumnWhereAsked) {
    // The second column differs from the first by 8 units in the last place: between the two cut-offs. The
    // right-hand side follows the difference, so that it is met if both columns count and not at all if one
    // does.
    const double step = std::ldexp(8.0, -52);
    std::vector<double> matrix;
    std::vector<double> y;
    for (int i = 0; i < 40; ++i) {
        matrix.insert(matrix.end(), {1.0, 1.0 + (i % 2 == 0 ? step : -step)});
        y.push_back(i % 2 == 0 ? 1.0 : -1.0);
    }
    const std::vector<double> dropped = solve_least_squares(matrix, 2, y, RankCutOff::drop);
    EXPECT_NEAR(dropped[1], 0.0, 1e-12);
    const std::vector<double> kept = solve_least_squares(matrix, 2, y, RankCutOff::keep_most);
    EXPECT_NEAR(kept[1] * step, 1.0, 0.5);
}

TEST(Design, ExpectsAsManyRowsAsRightHandSides) {
    const std::vector<double> matrix{1, 1, 1};
    const Design design(matrix, 1);
    std::vector<double> coefficients(1);
    EXPECT_THROW(design.solve(std::vector<double>{1, 2}, coefficients), Error);
    EXPECT_THROW(Design({}, 1), Error);
    EXPECT_THROW(Design(matrix, 2), Error);
}

}  // namespace
}  // namespace plimsoll::numeric
