#include "plimsoll/model/detail/segmented_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "test/support/planted.hpp"

namespace plimsoll::model::detail {
namespace {

const FitOptions defaults;
const std::vector<Form> forms = candidate_forms(defaults);

std::vector<double> count_up(std::size_t n) {
    std::vector<double> x;
    for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<double>(2 * i + 4));
    return x;
}

/// Small below the change, larger and of another form from it on.
std::vector<double> with_change(const std::vector<double>& x, std::size_t change, double noise,
                                unsigned seed) {
    const double border = x[change];
    const auto f = [&](auto p) { return p[0] < border ? 3.0 + p[0] : 4.0 * p[0] * p[0]; };
    return test::planted_values(test::grid({x}), f, noise, seed);
}

SegmentedModel search(const std::vector<double>& x, const std::vector<double>& y) {
    return SegmentedSearch(x, defaults, forms).fit(Values(y));
}

struct Cut {
    bool segmented = false;
    std::size_t first_count = 0;
    std::size_t second_begin = 0;
};

/// Section 6 of the description of Extra-P, step by step, for points in ascending order.
Cut cut_by_the_book(const std::vector<double>& x, const std::vector<double>& y) {
    const std::size_t windows = x.size() - 4;
    std::vector<double> s;
    std::vector<double> r;
    for (std::size_t i = 0; i < windows; ++i) {
        const std::vector<double> part_x(x.begin() + static_cast<std::ptrdiff_t>(i),
                                         x.begin() + static_cast<std::ptrdiff_t>(i + 5));
        const std::vector<double> part_y(y.begin() + static_cast<std::ptrdiff_t>(i),
                                         y.begin() + static_cast<std::ptrdiff_t>(i + 5));
        s.push_back(std::abs(BasicSearch(part_x, defaults, forms).fit(Values(part_y)).normalized_rss()));
        r.push_back(i == 0 ? -1.0 : s[i] / (s[i - 1] + 1e-16));
    }
    Cut cut;
    cut.segmented =
        *std::max_element(s.begin(), s.end()) > 0.5 || *std::max_element(r.begin(), r.end()) > 4.0;
    std::vector<std::size_t> marks;
    for (std::size_t i = 0; i < windows; ++i) {
        if (s[i] >= 0.1 || r[i] > 4.0) marks.push_back(i);
    }
    if (!cut.segmented) return cut;
    const std::size_t j = marks[marks.size() / 2];
    if (marks.size() == 3) {
        cut.first_count = j + 3;
        cut.second_begin = j + 2;
    } else {
        const std::size_t before = j == 0 ? windows - 1 : j - 1;
        cut.first_count = before + 3;
        cut.second_begin = before + 3;
    }
    return cut;
}

TEST(SegmentedSearch, CutsAsTheDescriptionSays) {
    int three_marks = 0;
    int other_marks = 0;
    int before_the_first = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        const std::vector<double> x = count_up(9 + seed % 5);
        const std::vector<double> y = with_change(x, 1 + seed % (x.size() - 2), 0.01 * (seed % 7), seed);
        const Cut expected = cut_by_the_book(x, y);
        const SegmentedModel seen = search(x, y);
        ASSERT_EQ(seen.second.has_value(), expected.segmented);
        if (!expected.segmented) continue;
        EXPECT_EQ(seen.first_count, expected.first_count);
        EXPECT_EQ(seen.second_begin, expected.second_begin);
        ++(seen.first_count > seen.second_begin ? three_marks : other_marks);
        if (seen.second_begin == x.size() - 2) ++before_the_first;
    }
    EXPECT_GT(three_marks, 5) << "the examples are to show each rule";
    EXPECT_GT(other_marks, 5);
    EXPECT_GT(before_the_first, 0);
}

TEST(SegmentedSearch, ModelsEachSegmentAsItsPointsAlone) {
    const std::vector<double> x = count_up(12);
    const std::vector<double> y = with_change(x, 6, 0.0, 1);
    const SegmentedModel seen = search(x, y);
    ASSERT_TRUE(seen.second.has_value());
    const auto alone = [&](std::size_t begin, std::size_t end) {
        const std::vector<double> part_x(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                         x.begin() + static_cast<std::ptrdiff_t>(end));
        const std::vector<double> part_y(y.begin() + static_cast<std::ptrdiff_t>(begin),
                                         y.begin() + static_cast<std::ptrdiff_t>(end));
        return BasicSearch(part_x, defaults, forms).fit(Values(part_y));
    };
    const SingleModel first = alone(0, seen.first_count);
    const SingleModel second = alone(seen.second_begin, x.size());
    EXPECT_EQ(seen.first.form, first.form);
    EXPECT_EQ(seen.first.line.slope, first.line.slope);
    EXPECT_EQ(seen.second->form, second.form);
    EXPECT_EQ(seen.second->line.slope, second.line.slope);
}

TEST(SegmentedSearch, FindsAPlantedChangeWithinAPoint) {
    for (std::size_t change = 4; change <= 8; ++change) {
        SCOPED_TRACE(change);
        const std::vector<double> x = count_up(13);
        const SegmentedModel seen = search(x, with_change(x, change, 0.0, 1));
        ASSERT_TRUE(seen.second.has_value());
        EXPECT_NEAR(static_cast<double>(seen.second_begin), static_cast<double>(change), 1.0);
    }
}

TEST(SegmentedSearch, LeavesOneBehaviourWhole) {
    const std::vector<double> x = count_up(12);
    for (const double noise : {0.0, 0.01}) {
        const auto y = test::planted_values(
            test::grid({x}), [](auto p) { return 5.0 + 2.0 * p[0]; }, noise);
        if (cut_by_the_book(x, y).segmented) continue;  // rounding of an exact fit has ratios of its own
        const SegmentedModel seen = search(x, y);
        EXPECT_FALSE(seen.second.has_value());
        const SingleModel basic = BasicSearch(x, defaults, forms).fit(Values(y));
        EXPECT_EQ(seen.first.form, basic.form);
        EXPECT_EQ(seen.first.line.slope, basic.line.slope);
        EXPECT_EQ(seen.first_count, x.size());
    }
}

TEST(SegmentedSearch, IsTheBasicOneForFewPoints) {
    for (std::size_t n = 1; n < 5; ++n) {
        const std::vector<double> x = count_up(n);
        const auto y = test::planted_values(test::grid({x}), [](auto p) { return p[0] > 6 ? 1000.0 : p[0]; });
        const SegmentedModel seen = search(x, y);
        EXPECT_FALSE(seen.second.has_value());
        EXPECT_EQ(seen.first.form, BasicSearch(x, defaults, forms).fit(Values(y)).form);
    }
}

TEST(SegmentedSearch, DoesNotDependOnTheOrderOfThePoints) {
    const std::vector<double> x = count_up(12);
    const std::vector<double> y = with_change(x, 6, 0.01, 3);
    const SegmentedModel expected = search(x, y);
    std::vector<std::size_t> order(x.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::mt19937 random(8);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        std::vector<double> mixed_x;
        std::vector<double> mixed_y;
        for (const std::size_t i : order) {
            mixed_x.push_back(x[i]);
            mixed_y.push_back(y[i]);
        }
        SegmentedSearch mixed(mixed_x, defaults, forms);
        const SegmentedModel seen = mixed.fit(Values(mixed_y));
        EXPECT_EQ(std::vector<double>(mixed.ascending().begin(), mixed.ascending().end()), x);
        EXPECT_EQ(seen.first_count, expected.first_count);
        EXPECT_EQ(seen.first.line.slope, expected.first.line.slope);
        EXPECT_EQ(seen.second->line.slope, expected.second->line.slope);
    }
}

TEST(SegmentedSearch, GivesTheSameAgainForOtherValuesInBetween) {
    const std::vector<double> x = count_up(12);
    const std::vector<double> y = with_change(x, 6, 0.01, 3);
    SegmentedSearch kept(x, defaults, forms);
    const SegmentedModel first = kept.fit(Values(y));
    (void)kept.fit(Values(with_change(x, 4, 0.1, 4)));
    const SegmentedModel again = kept.fit(Values(y));
    EXPECT_EQ(first.first_count, again.first_count);
    EXPECT_EQ(first.second->line.slope, again.second->line.slope);
}

}  // namespace
}  // namespace plimsoll::model::detail
