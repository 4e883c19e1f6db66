#include "plimsoll/measure/stop_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace plimsoll::measure {
namespace {

TEST(ConfidenceInterval, OfAMedianWantsSixValues) {
    const std::vector<double> values{5, 1, 4, 2, 6, 3};
    EXPECT_EQ(confidence_interval(std::span(values).first(5), Center::median), std::nullopt);
    const auto interval = confidence_interval(values, Center::median);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, 1.0);
    EXPECT_EQ(interval->high, 6.0);
    EXPECT_EQ(interval->center, 3.5);
}

TEST(ConfidenceInterval, OfAMedianLiesBetweenPublishedRanks) {
    // Le Boudec 2010, table of ranks for 95 %: n = 10: 2nd and 9th; n = 20: 6th and 15th; n = 30: 10th and
    // 21st.
    for (const auto& [n, low, high] : {std::tuple{10, 2, 9}, {20, 6, 15}, {30, 10, 21}}) {
        std::vector<double> values;
        for (int i = 1; i <= n; ++i) values.push_back(i);
        const auto interval = confidence_interval(values, Center::median);
        ASSERT_TRUE(interval);
        EXPECT_EQ(interval->low, low) << n;
        EXPECT_EQ(interval->high, high) << n;
    }
}

TEST(ConfidenceInterval, OfAMeanIsStudents) {
    const std::vector<double> values{9, 10, 11};  // deviation 1, 4.3027 of Student's at 2 degrees
    const auto interval = confidence_interval(values, Center::mean);
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->high - 10.0, 4.30265 / std::sqrt(3.0), 1e-4);
    EXPECT_NEAR(interval->relative_half_width(), 0.1 * 4.30265 / std::sqrt(3.0), 1e-5);
    EXPECT_EQ(confidence_interval(std::span(values).first(2), Center::mean), std::nullopt);
}

TEST(ConfidenceInterval, CoversWhatItIsOf) {
    // Run times as they are: a floor, and a long tail. The median is known, as is the mean of the normal
    // ones.
    std::mt19937_64 random(5);
    std::exponential_distribution<double> tail(1.0);
    std::normal_distribution<double> normal(10.0, 1.0);
    constexpr int trials = 4000;
    for (const int n : {6, 9, 15, 40}) {
        int median_covered = 0;
        int mean_covered = 0;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<double> skewed;
            std::vector<double> even;
            for (int i = 0; i < n; ++i) {
                skewed.push_back(10.0 + tail(random));
                even.push_back(normal(random));
            }
            const auto of_median = *confidence_interval(skewed, Center::median);
            const double median = 10.0 + std::log(2.0);
            median_covered += of_median.low <= median && median <= of_median.high ? 1 : 0;
            const auto of_mean = *confidence_interval(even, Center::mean);
            mean_covered += of_mean.low <= 10.0 && 10.0 <= of_mean.high ? 1 : 0;
        }
        // Standard deviation 0.0035: the bound is four of them.
        EXPECT_GE(median_covered, (0.95 - 0.014) * trials) << n;
        EXPECT_NEAR(mean_covered / static_cast<double>(trials), 0.95, 0.014) << n;
    }
}

TEST(ConfidenceInterval, HasNoWidthWhereNothingVaries) {
    const std::vector<double> values(6, 0.0);
    EXPECT_EQ(confidence_interval(values, Center::median)->relative_half_width(), 0.0);
}

}  // namespace
}  // namespace plimsoll::measure
