#include "plimsoll/numeric/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace plimsoll::numeric {
namespace {

std::vector<double> random_values(std::mt19937& random, std::size_t count) {
    std::normal_distribution<double> normal(3.0, 2.0);
    std::vector<double> values(count);
    for (double& value : values) value = normal(random);
    return values;
}

/// The same in higher precision, by sorting.
Summary plain_summary(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    long double sum = 0.0;
    for (const double value : values) sum += value;
    const long double mean = sum / static_cast<long double>(n);
    long double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {.mean = static_cast<double>(mean),
            .median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2,
            .minimum = values.front(),
            .maximum = values.back(),
            .deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(n)))};
}

void expect_equal(const Summary& a, const Summary& b) {
    EXPECT_NEAR(a.mean, b.mean, 1e-13 * std::abs(b.mean));
    EXPECT_DOUBLE_EQ(a.median, b.median);
    EXPECT_EQ(a.minimum, b.minimum);
    EXPECT_EQ(a.maximum, b.maximum);
    EXPECT_NEAR(a.deviation, b.deviation, 1e-12 * b.maximum);
}

TEST(Summary, AgreesWithAPlainReferenceOnAnyNumberOfValues) {
    std::mt19937 random(1);
    for (std::size_t count = 1; count < 60; ++count) {
        SCOPED_TRACE(count);
        std::vector<double> values = random_values(random, count);
        const Summary expected = plain_summary(values);
        expect_equal(summarize(std::span<const double>(values)), expected);
        expect_equal(summarize(std::span<double>(values)), expected);
    }
}

TEST(Summary, OfReadOnlyValuesDoesNotReorderThem) {
    std::mt19937 random(2);
    const std::vector<double> values = random_values(random, 40);
    const std::vector<double> before = values;
    (void)summarize(std::span<const double>(values));
    EXPECT_EQ(values, before);
}

TEST(Summary, MovesAndStretchesWithItsValues) {
    std::mt19937 random(3);
    const std::vector<double> values = random_values(random, 25);
    std::vector<double> changed;
    for (const double value : values) changed.push_back(4.0 * value + 32.0);
    const Summary a = summarize(std::span<const double>(values));
    const Summary b = summarize(std::span<const double>(changed));
    EXPECT_NEAR(b.mean, 4.0 * a.mean + 32.0, 1e-12);
    EXPECT_NEAR(b.median, 4.0 * a.median + 32.0, 1e-12);
    EXPECT_NEAR(b.deviation, 4.0 * a.deviation, 1e-12);
}

TEST(Summary, OfEqualValuesHasNoDeviation) {
    const std::vector<double> values(20, 7.5);
    const Summary summary = summarize(std::span<const double>(values));
    EXPECT_EQ(summary.mean, 7.5);
    EXPECT_EQ(summary.deviation, 0.0);
}

TEST(Mean, OfHugeValuesDoesNotOverflow) {
    const std::vector<double> values{1.7e308, 1.7e308, 1.7e308};
    EXPECT_DOUBLE_EQ(mean(values), 1.7e308);
    EXPECT_DOUBLE_EQ(summarize(std::span<const double>(values)).median, 1.7e308);
    const std::vector<double> two{1.7e308, 1.5e308};
    EXPECT_DOUBLE_EQ(summarize(std::span<const double>(two)).median, 1.6e308);
}

TEST(Mean, OfNothingIsZero) { EXPECT_EQ(mean({}), 0.0); }

}  // namespace
}  // namespace plimsoll::numeric
