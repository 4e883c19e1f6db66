#include "plimsoll/model/misfit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "test/support/planted.hpp"

namespace plimsoll::model {
namespace {

/// Values of a model of 1 on a grid, off by a factor for each p, and by noise.
struct Rows {
    std::vector<double> points;
    std::vector<double> values;
    std::vector<double> model;
};

Rows rows(const std::vector<double>& factors, double noise) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0.0, noise);
    Rows result;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        for (const double n : {10.0, 20.0, 30.0, 40.0, 50.0}) {
            result.points.push_back(std::pow(2.0, static_cast<double>(i)));
            result.points.push_back(n);
            result.values.push_back(factors[i] * std::exp(normal(random)));
            result.model.push_back(1.0);
        }
    }
    return result;
}

TEST(FindMisfit, SeesWhatNeighboursHaveInCommon) {
    const Rows data = rows({1.1, 0.9, 1.08, 0.95, 1.06}, 0.005);
    const Misfit misfit = find_misfit(data.points, 2, data.values, data.model, 0.005 * 0.005).misfit;
    ASSERT_FALSE(misfit.empty());
    EXPECT_LT(misfit.length[0], misfit.length[1]) << "rows differ, what is in them does not";
    const std::vector<double> between{16.0, 45.0};
    const auto inside = misfit.at(between);
    EXPECT_NEAR(std::exp(inside.mean), 1.06, 0.02);
    const std::vector<double> next_size{16.0, 60.0};
    EXPECT_NEAR(std::exp(misfit.at(next_size).mean), 1.06, 0.03);
    const std::vector<double> far{4096.0, 50.0};
    const auto beyond = misfit.at(far);
    EXPECT_NEAR(beyond.mean, 0.0, 0.01) << "far from all points nothing is known";
    EXPECT_NEAR(beyond.variance, misfit.variance, 0.01 * misfit.variance);
    EXPECT_LT(inside.variance, 0.1 * beyond.variance);
}

TEST(FindMisfit, FollowsThePointsUpToTheirNoise) {
    const Rows data = rows({1.1, 0.9, 1.08, 0.95, 1.06}, 0.001);
    const Misfit misfit = find_misfit(data.points, 2, data.values, data.model, 1e-6).misfit;
    ASSERT_FALSE(misfit.empty());
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        const auto at = misfit.at(std::span(data.points).subspan(2 * i, 2));
        EXPECT_NEAR(std::exp(at.mean), data.values[i], 0.005);
    }
}

TEST(FindMisfit, IsNotFoundInNoise) {
    const Rows noise = rows({1, 1, 1, 1, 1}, 0.05);
    EXPECT_TRUE(find_misfit(noise.points, 2, noise.values, noise.model, 0.05 * 0.05).misfit.empty());
    // Nor in noise that is larger than the repetitions say, but without structure.
    EXPECT_TRUE(find_misfit(noise.points, 2, noise.values, noise.model, 1e-5).misfit.empty());
}

TEST(FindMisfit, AsksForPositiveNumbersAndEnoughPoints) {
    Rows data = rows({1.1, 0.9, 1.08, 0.95, 1.06}, 0.005);
    EXPECT_TRUE(find_misfit(data.points, 2, data.values, data.model, std::nan("")).misfit.empty());
    data.values[3] = 0.0;
    EXPECT_TRUE(find_misfit(data.points, 2, data.values, data.model, 1e-5).misfit.empty());
    const Rows few = rows({1.2}, 0.001);
    EXPECT_TRUE(find_misfit(few.points, 2, few.values, few.model, 1e-6).misfit.empty());
}

}  // namespace
}  // namespace plimsoll::model
