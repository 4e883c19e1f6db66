#include "plimsoll/model/detail/posterior/moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "plimsoll/model/detail/posterior/pair_moments.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model::detail {
namespace {

std::vector<double> flat(const test::Points& points) {
    std::vector<double> values;
    for (const std::vector<double>& point : points) values.insert(values.end(), point.begin(), point.end());
    return values;
}

std::vector<double> coordinates(const test::Points& points, std::size_t axis) {
    std::vector<double> values;
    for (const std::vector<double>& point : points) values.push_back(point[axis]);
    return values;
}

/// Value of a slot's state at a point: 1, a function, or its square.
double state(const Slot& slot, std::size_t s, std::size_t point) {
    const std::size_t count = slot.functions.size();
    if (s == 0) return 1.0;
    const double value = slot.table->column(slot.functions[(s - 1) % count])[point];
    return s <= count ? value : value * value;
}

struct Case {
    std::string name;
    test::Points points;
    std::vector<std::size_t> axes;
};

std::vector<Case> cases() {
    const std::vector<double> p = test::powers_of_two(1, 4);
    const std::vector<double> n{10, 20, 40};
    test::Points scattered{{2, 10}, {4, 10}, {4, 40}, {16, 20}, {3, 17}, {9, 10}, {2, 40}};
    return {{"line", test::grid({p}), {0}},       {"one parameter in two slots", test::grid({p}), {0, 0}},
            {"grid", test::grid({p, n}), {0, 1}}, {"cross", test::cross({p, n}), {0, 1}},
            {"scattered", scattered, {0, 1}},     {"a parameter around another", scattered, {0, 1, 0}}};
}

TEST(MomentTree, SumsWhatTheDefinitionSums) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0.1, 2.0);
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        const std::size_t parameters = c.points.front().size();
        std::vector<AxisTable> tables;
        for (std::size_t a = 0; a < parameters; ++a) tables.emplace_back(coordinates(c.points, a), a);
        std::vector<Slot> slots;
        const std::vector<std::vector<FunctionId>> functions{{0, 5, 20}, {3, 58}, {59}};
        for (std::size_t s = 0; s < c.axes.size(); ++s) {
            slots.push_back(
                {.table = &tables[c.axes[s]], .functions = functions[s], .log_prior = {}, .misfits = {}});
        }
        MomentTree tree(flat(c.points), parameters, c.axes);
        tree.choose(slots);
        std::vector<double> weights(c.points.size());
        for (double& weight : weights) weight = uniform(random);

        for (const std::size_t copies : {2UL, 1UL}) {
            std::vector<double> table;
            std::vector<double> maxima;
            if (copies == 2) {
                tree.moments(weights, table);
            } else {
                tree.sums(weights, table);
                tree.maxima(weights, maxima);
            }
            std::size_t size = 1;
            for (const Slot& slot : slots) size *= 1 + copies * slot.functions.size();
            ASSERT_EQ(table.size(), size);
            for (std::size_t entry = 0; entry < size; ++entry) {
                double sum = 0.0;
                double most = 0.0;
                for (std::size_t i = 0; i < c.points.size(); ++i) {
                    double product = weights[i];
                    std::size_t rest = entry;
                    for (std::size_t s = slots.size(); s-- > 0;) {
                        const std::size_t states = 1 + copies * slots[s].functions.size();
                        product *= state(slots[s], rest % states, i);
                        rest /= states;
                    }
                    sum += product;
                    most = std::max(most, product);
                }
                EXPECT_NEAR(table[entry], sum, 1e-13 * std::max(1.0, std::abs(sum))) << entry;
                if (copies == 1) {
                    EXPECT_DOUBLE_EQ(maxima[entry], most) << entry;
                }
            }
        }
    }
}

TEST(AxisTable, LeavesOutWhatIsNotDefined) {
    const auto usable = [](const std::vector<double>& x, FunctionId f) {
        return AxisTable(x, 0).is_usable(f);
    };
    const FunctionId logarithm = 0;
    const FunctionId inverse = falling_functions().front();
    const FunctionId linear = common_functions()[0];
    EXPECT_TRUE(usable({1, 2, 4}, logarithm));
    EXPECT_FALSE(usable({0.5, 2, 4}, logarithm));
    EXPECT_TRUE(usable({0.5, 2, 4}, inverse));
    EXPECT_FALSE(usable({0, 2, 4}, inverse));
    EXPECT_TRUE(usable({0, 2, 4}, linear));
    EXPECT_FALSE(usable({-1, 2, 4}, linear));
    EXPECT_FALSE(usable({3, 3, 3}, linear)) << "a parameter that does not vary";
}

TEST(AxisTable, ScalesItsColumnsToOne) {
    const AxisTable table(std::vector<double>{2, 4, 16}, 0);
    for (FunctionId f = 0; f < axis_functions().size(); ++f) {
        SCOPED_TRACE(f);
        ASSERT_TRUE(table.is_usable(f));
        EXPECT_DOUBLE_EQ(*std::max_element(table.column(f).begin(), table.column(f).end()), 1.0);
        const AxisFunction& function = axis_functions()[f];
        const double value =
            std::pow(4.0, function.exponent.value()) * std::pow(2.0, function.log_exponent.value());
        EXPECT_NEAR(table.column(f)[1] * table.scale(f), value, 1e-12 * value);
    }
}

TEST(PairMoments, SumWhatTheDefinitionSums) {
    const std::vector<double> p = test::powers_of_two(1, 5);
    const AxisTable axis(p, 0);
    const std::vector<std::vector<FunctionId>> functions{{59, 60}, {3, 5, 20}, {5, 12}};
    std::vector<Slot> slots;
    for (const std::vector<FunctionId>& of_slot : functions) {
        slots.push_back({.table = &axis, .functions = of_slot, .log_prior = {}, .misfits = {}});
    }
    const std::vector<double> weights{0.5, 1.5, 0.25, 1.0, 2.0};
    ASSERT_EQ(weights.size(), p.size());
    PairMoments moments;
    moments.choose(slots, p.size());
    std::vector<double> pairs;
    std::vector<double> sums;
    std::vector<double> maxima;
    moments.pairs(weights, pairs);
    moments.sums(weights, sums);
    moments.maxima(weights, maxima);
    const std::size_t size = moments.size();
    ASSERT_EQ(size, 8U);
    for (std::size_t s = 0; s < slots.size(); ++s) {
        for (std::size_t f = 0; f < functions[s].size(); ++f) {
            const std::size_t place = moments.place(s) + f;
            const std::span<const double> g = axis.column(functions[s][f]);
            double sum = 0.0;
            double square = 0.0;
            double largest = 0.0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                sum += weights[i] * g[i];
                square += weights[i] * g[i] * g[i];
                largest = std::max(largest, weights[i] * g[i]);
            }
            EXPECT_NEAR(sums[place], sum, 1e-13 * sum);
            EXPECT_NEAR(pairs[place], sum, 1e-13 * sum);
            EXPECT_NEAR(pairs[size * size + place], square, 1e-13 * square);
            EXPECT_DOUBLE_EQ(maxima[place], largest);
            for (std::size_t t = s + 1; t < slots.size(); ++t) {
                const std::span<const double> h = axis.column(functions[t].back());
                double product = 0.0;
                for (std::size_t i = 0; i < p.size(); ++i) product += weights[i] * g[i] * h[i];
                const std::size_t other = moments.place(t) + functions[t].size() - 1;
                EXPECT_NEAR(pairs[place * size + other], product, 1e-13 * product);
            }
        }
    }
}

}  // namespace
}  // namespace plimsoll::model::detail
