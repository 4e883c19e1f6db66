#include "plimsoll/numeric/robust_deviation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace plimsoll::numeric {
namespace {

TEST(RobustDeviation, IsRightOnAverageForNormalValues) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal(10.0, 2.0);
    for (const std::size_t count : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 25U}) {
        SCOPED_TRACE(count);
        constexpr int samples = 20'000;
        double sum = 0.0;
        std::vector<double> values(count);
        for (int s = 0; s < samples; ++s) {
            for (double& value : values) value = normal(random);
            sum += robust_deviation(values);
        }
        // One estimate of two values scatters by 0.76 of its mean, so the average by 0.5 %.
        EXPECT_NEAR(sum / samples / 2.0, 1.0, 0.02);
    }
}

TEST(RobustDeviation, DoesNotSeeOneValueFarOff) {
    EXPECT_LT(robust_deviation(std::vector<double>{4.0, 4.1, 3.9, 4.0, 400.0}), 0.2);
}

TEST(RobustDeviation, IsNotThereForOneValue) {
    EXPECT_TRUE(std::isnan(robust_deviation(std::vector<double>{4.0})));
    EXPECT_TRUE(std::isnan(robust_deviation({})));
    EXPECT_EQ(robust_deviation(std::vector<double>{4.0, 4.0}), 0.0);
}

}  // namespace
}  // namespace plimsoll::numeric
