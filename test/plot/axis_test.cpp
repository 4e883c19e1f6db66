#include "plimsoll/plot/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace plimsoll::plot {
namespace {

using Values = std::vector<double>;

TEST(Place, IsReversedByValue) {
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
        const Axis axis{.low = 2.0, .high = 4096.0, .scale = scale};
        EXPECT_EQ(0.0, place(axis, 2.0));
        EXPECT_EQ(1.0, place(axis, 4096.0));
        for (const double value : {2.5, 64.0, 4000.0, 10000.0})
            EXPECT_NEAR(value, value_at(axis, place(axis, value)), 1e-9 * value);
    }
    EXPECT_TRUE(std::isnan(place({.low = 1.0, .high = 2.0, .scale = Scale::logarithmic}, 0.0)));
    EXPECT_EQ(0.5, place({.low = 4.0, .high = 256.0, .scale = Scale::logarithmic}, 32.0));
}

TEST(RoundTicks, AreThoseThatAPersonExpects) {
    EXPECT_EQ((Values{0, 2, 4, 6, 8, 10}), round_ticks(0.0, 10.0, Scale::linear, 6));
    EXPECT_EQ((Values{-5, 0, 5}), round_ticks(-7.0, 9.0, Scale::linear, 4));
    EXPECT_EQ((Values{1, 2, 5, 10, 20, 50, 100}), round_ticks(1.0, 100.0, Scale::logarithmic, 7));
    EXPECT_EQ((Values{1, 10, 100}), round_ticks(1.0, 100.0, Scale::logarithmic, 6));
    EXPECT_EQ((Values{1, 1e3, 1e6, 1e9}), round_ticks(1.0, 1e10, Scale::logarithmic, 5));
    EXPECT_EQ((Values{20, 30, 40, 50}), round_ticks(18.0, 52.0, Scale::logarithmic, 5));
}

TEST(RoundTicks, AreFewRisingAndWithinTheAxis) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> power(-12.0, 12.0);
    for (int round = 0; round < 2000; ++round) {
        double low = std::pow(10.0, power(random));
        double high = std::pow(10.0, power(random));
        if (low > high) std::swap(low, high);
        const std::size_t most = 2 + random() % 9;
        for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
            const Values ticks = round_ticks(low, high, scale, most);
            ASSERT_LE(ticks.size(), most) << low << " " << high;
            for (std::size_t i = 0; i < ticks.size(); ++i) {
                EXPECT_GE(ticks[i], low * (1.0 - 1e-8) - 1e-8 * (high - low));
                EXPECT_LE(ticks[i], high * (1.0 + 1e-8));
                if (i > 0) {
                    EXPECT_GT(ticks[i], ticks[i - 1]);
                }
            }
        }
    }
}

TEST(SpreadTicks, KeepTheEndsAndRoom) {
    const Axis axis{.low = 1.0, .high = 1024.0, .scale = Scale::logarithmic};
    EXPECT_EQ((Values{1, 4, 16, 64, 256, 1024}),
              spread_ticks(axis, Values{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, 0.2));
    EXPECT_EQ((Values{1, 1024}), spread_ticks(axis, Values{1, 1000, 1024}, 0.1));
    EXPECT_EQ(Values{}, spread_ticks(axis, Values{}, 0.1));
}

TEST(TickText, HasNoDigitsThatSayNothing) {
    EXPECT_EQ("4096", tick_text(4096.0));
    EXPECT_EQ("0.15", tick_text(0.15));
    EXPECT_EQ("2e+06", tick_text(2e6));
    EXPECT_EQ("0", tick_text(0.0));
    EXPECT_EQ("0.3", tick_text(0.1 + 0.2));
}

}  // namespace
}  // namespace plimsoll::plot
