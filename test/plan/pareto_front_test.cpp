#include "plimsoll/plan/pareto_front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace plimsoll::plan {
namespace {

bool dominates(const Tradeoff& a, const Tradeoff& b) {
    return a.time <= b.time && a.cost <= b.cost && (a.time < b.time || a.cost < b.cost);
}

/// Small whole numbers, so that many are equal in one or both.
std::vector<Tradeoff> random_points(std::mt19937_64& random, std::size_t count, std::uint64_t values) {
    std::vector<Tradeoff> points;
    for (std::size_t i = 0; i < count; ++i)
        points.push_back({.time = 1.0 + static_cast<double>(random() % values),
                          .cost = 1.0 + static_cast<double>(random() % values),
                          .id = i});
    return points;
}

TEST(ParetoFront, HoldsExactlyWhatNothingDominates) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 500; ++round) {
        SCOPED_TRACE(round);
        // Some with so many that those plainly beaten are left out first.
        const std::size_t count = round % 50 == 0 ? 3000 : random() % 60;
        const std::vector<Tradeoff> points =
            random_points(random, count, 1 + random() % (count > 100 ? 4000 : 40));
        const std::vector<Tradeoff> front = pareto_front(points);
        std::vector<std::size_t> expected;  // by comparing each with all
        for (const Tradeoff& one : points) {
            const bool is_beaten = std::any_of(points.begin(), points.end(), [&](const Tradeoff& other) {
                const bool is_equal = other.time == one.time && other.cost == one.cost;
                return dominates(other, one) || (is_equal && other.id < one.id);
            });
            if (!is_beaten) expected.push_back(one.id);
        }
        std::vector<std::size_t> found;
        found.reserve(front.size());
        for (const Tradeoff& one : front) found.push_back(one.id);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(expected, found);
    }
}

TEST(ParetoFront, RisesInTimeAndFallsInCost) {
    std::mt19937_64 random(2);
    const std::vector<Tradeoff> front = pareto_front(random_points(random, 1000, 1'000'000));
    ASSERT_GT(front.size(), 2U);
    for (std::size_t i = 1; i < front.size(); ++i) {
        EXPECT_LT(front[i - 1].time, front[i].time);
        EXPECT_GT(front[i - 1].cost, front[i].cost);
    }
}

TEST(ParetoFront, StaysTheSameInAnyOrderAndWhenTakenAgain) {
    std::mt19937_64 random(3);
    std::vector<Tradeoff> points = random_points(random, 200, 50);
    const std::vector<Tradeoff> front = pareto_front(points);
    std::shuffle(points.begin(), points.end(), random);
    const auto ids = [](const std::vector<Tradeoff>& some) {
        std::vector<std::size_t> result;
        result.reserve(some.size());
        for (const Tradeoff& one : some) result.push_back(one.id);
        return result;
    };
    EXPECT_EQ(ids(front), ids(pareto_front(points)));
    EXPECT_EQ(ids(front), ids(pareto_front(front)));
    EXPECT_TRUE(pareto_front({}).empty());
}

TEST(Knee, IsWhereALongerTimeBeginsToSaveLittle) {
    // Cost falls steeply to 10 at a time of 10, and hardly from there on.
    const std::vector<Tradeoff> front{{1.0, 1000.0, 0}, {10.0, 10.0, 1}, {100.0, 9.0, 2}, {1000.0, 8.0, 3}};
    EXPECT_EQ(1U, knee_of(front));
}

TEST(Knee, DoesNotDependOnUnits) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 100; ++round) {
        std::vector<Tradeoff> front = pareto_front(random_points(random, 30, 1000));
        const auto knee = knee_of(front);
        for (Tradeoff& one : front) {
            one.time *= 3600.0;
            one.cost *= 0.01;
        }
        EXPECT_EQ(knee, knee_of(front));
    }
}

TEST(Knee, IsAbsentOnAFairDealAndWithFewPoints) {
    std::vector<Tradeoff> fair;
    fair.reserve(10);
    for (int i = 0; i < 10; ++i)
        fair.push_back({std::ldexp(1.0, i), std::ldexp(1.0, 10 - i), static_cast<std::size_t>(i)});
    EXPECT_FALSE(knee_of(fair)) << "half the time for twice the cost, everywhere";
    EXPECT_FALSE(knee_of(std::vector<Tradeoff>{{1.0, 2.0, 0}, {2.0, 1.0, 1}}));
    EXPECT_FALSE(knee_of({}));
    EXPECT_FALSE(knee_of(std::vector<Tradeoff>{{1.0, 9.0, 0}, {2.0, 2.0, 1}, {9.0, 0.0, 2}}))
        << "no logarithm of 0";
}

}  // namespace
}  // namespace plimsoll::plan
