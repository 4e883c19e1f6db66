#include "plimsoll/model/detail/axis_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "test/support/planted.hpp"

namespace plimsoll::model::detail {
namespace {

using test::Points;

std::vector<AxisPlan> plan(const Points& points, AxisPoints choice) {
    return plan_axes(test::flat(points), points.front().size(), choice);
}

/// The measurements of a plan by the value of the parameter.
std::map<double, std::set<std::size_t>> by_value(const AxisPlan& plan) {
    std::map<double, std::set<std::size_t>> result;
    for (std::size_t i = 0; i < plan.x.size(); ++i) {
        result[plan.x[i]].insert(plan.averaged[i].begin(), plan.averaged[i].end());
    }
    return result;
}

std::vector<double> others(const std::vector<double>& point, std::size_t axis) {
    std::vector<double> rest = point;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
    return rest;
}

/// Extra-P's rule for `longest`, step by step as the description has it.
std::map<double, std::set<std::size_t>> longest_by_the_book(const Points& points, std::size_t axis) {
    std::map<std::vector<double>, std::vector<std::size_t>> lines;
    for (std::size_t i = 0; i < points.size(); ++i) lines[others(points[i], axis)].push_back(i);
    std::size_t most = 0;
    for (const auto& [rest, line] : lines) most = std::max(most, line.size());
    // Points of the longest lines by their value, in order of appearance.
    std::vector<std::pair<double, std::vector<std::size_t>>> values;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (lines[others(points[i], axis)].size() != most) continue;
        const auto found = std::find_if(values.begin(), values.end(),
                                        [&](const auto& v) { return v.first == points[i][axis]; });
        if (found == values.end()) {
            values.push_back({points[i][axis], {i}});
        } else {
            found->second.push_back(i);
        }
    }
    // Elsewhere, only lines that have the first value.
    std::set<std::vector<double>> kept;
    for (const std::size_t i : values.front().second) kept.insert(others(points[i], axis));
    std::map<double, std::set<std::size_t>> result;
    for (const auto& [value, members] : values) {
        for (const std::size_t i : members) {
            if (kept.contains(others(points[i], axis))) result[value].insert(i);
        }
    }
    return result;
}

TEST(PlanAxes, AveragesTheWholeOfAGrid) {
    const Points points = test::grid({{1, 2, 4}, {10, 20, 30, 40}, {5, 6}});
    const auto plans = plan(points, AxisPoints::longest);
    ASSERT_EQ(plans.size(), 3U);
    const std::vector<std::vector<double>> axes{{1, 2, 4}, {10, 20, 30, 40}, {5, 6}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(plans[axis].x, axes[axis]);
        for (const auto& averaged : plans[axis].averaged) {
            EXPECT_EQ(averaged.size(), points.size() / axes[axis].size());
        }
    }
}

TEST(PlanAxes, TakesTheLinesOfACross) {
    const Points points = test::cross({{1, 2, 3, 4, 5}, {10, 20, 30, 40, 50}});
    for (const AxisPoints choice : {AxisPoints::longest, AxisPoints::smallest}) {
        const auto plans = plan(points, choice);
        EXPECT_EQ(plans[0].x, (std::vector<double>{1, 2, 3, 4, 5}));
        EXPECT_EQ(plans[1].x, (std::vector<double>{10, 20, 30, 40, 50}));
        for (const AxisPlan& axis : plans) {
            for (const auto& averaged : axis.averaged) EXPECT_EQ(averaged.size(), 1U);
        }
    }
}

TEST(PlanAxes, LeavesShorterLinesOut) {
    Points points = test::grid({{1, 2, 3}, {1, 2}});
    points.push_back({4, 1});  // makes the line n = 1 the longest along the first parameter
    const auto plans = plan(points, AxisPoints::longest);
    EXPECT_EQ(plans[0].x, (std::vector<double>{1, 2, 3, 4}));
    for (const auto& averaged : plans[0].averaged) EXPECT_EQ(averaged.size(), 1U);
    EXPECT_EQ(plans[1].x, (std::vector<double>{1, 2}));
    for (const auto& averaged : plans[1].averaged) EXPECT_EQ(averaged.size(), 3U);
}

TEST(PlanAxes, FollowsTheDescriptionOnAnyLayout) {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        SCOPED_TRACE(round);
        Points points = test::grid({{1, 2, 4, 8}, {1, 2, 3}, {10, 20}});
        std::shuffle(points.begin(), points.end(), random);
        points.resize(1 + random() % points.size());
        const auto plans = plan(points, AxisPoints::longest);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(by_value(plans[axis]), longest_by_the_book(points, axis));
        }
    }
}

TEST(PlanAxes, HasEachValueOnceAndEachMeasurementAtMostOnce) {
    std::mt19937 random(12);
    for (int round = 0; round < 100; ++round) {
        Points points = test::grid({{1, 2, 4, 8}, {1, 2, 3}});
        std::shuffle(points.begin(), points.end(), random);
        points.resize(1 + random() % points.size());
        for (const AxisPoints choice : {AxisPoints::longest, AxisPoints::smallest}) {
            const auto plans = plan(points, choice);
            for (std::size_t axis = 0; axis < 2; ++axis) {
                std::set<std::size_t> used;
                std::size_t uses = 0;
                for (std::size_t i = 0; i < plans[axis].x.size(); ++i) {
                    EXPECT_FALSE(plans[axis].averaged[i].empty());
                    for (const std::size_t m : plans[axis].averaged[i])
                        EXPECT_EQ(points[m][axis], plans[axis].x[i]);
                    used.insert(plans[axis].averaged[i].begin(), plans[axis].averaged[i].end());
                    uses += plans[axis].averaged[i].size();
                }
                EXPECT_EQ(used.size(), uses);
                EXPECT_EQ(std::set<double>(plans[axis].x.begin(), plans[axis].x.end()).size(),
                          plans[axis].x.size());
            }
        }
    }
}

TEST(PlanAxes, TakesTheSmallestLineOfAGridInAnyOrder) {
    Points points = test::grid({{1, 2, 4}, {10, 20, 30}});
    std::mt19937 random(13);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(points.begin(), points.end(), random);
        const auto plans = plan(points, AxisPoints::smallest);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            ASSERT_EQ(plans[axis].x.size(), 3U);
            for (const auto& averaged : plans[axis].averaged) {
                ASSERT_EQ(averaged.size(), 1U);
                EXPECT_EQ(points[averaged.front()][1 - axis], axis == 0 ? 10.0 : 1.0);
            }
        }
    }
}

TEST(AxisPlan, GathersTheMeanOfEachValue) {
    const Points points = test::grid({{1, 2}, {1, 2, 3}});
    const std::vector<double> values{10, 20, 60, 1, 2, 3};
    std::vector<double> gathered{99.0};
    const auto plans = plan(points, AxisPoints::longest);
    plans[0].gather(values, gathered);
    EXPECT_EQ(gathered, (std::vector<double>{30, 2}));
    plans[1].gather(values, gathered);
    EXPECT_EQ(gathered, (std::vector<double>{5.5, 11, 31.5}));
}

}  // namespace
}  // namespace plimsoll::model::detail
