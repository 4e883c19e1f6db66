#include "plimsoll/numeric/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plimsoll::numeric {
namespace {

TEST(RoundToDigits, KeepsTheLeadingDigits) {
    EXPECT_EQ(round_to_digits(3.14159265358979, 4), 3.142);
    EXPECT_EQ(round_to_digits(-271828.18, 3), -272000.0);
    EXPECT_EQ(round_to_digits(9.9996, 4), 10.0);
}

TEST(RoundToDigits, IsOffByHalfADigitAtMost) {
    for (double value = 1.234567891234e-200; value < 1e200; value *= 8.7654321e3) {
        SCOPED_TRACE(value);
        EXPECT_LE(std::abs(round_to_digits(value, 9) / value - 1.0), 5.001e-9);
    }
}

TEST(RoundToDigits, ChangesNothingTwice) {
    for (double value = 1.234567891234e-30; value < 1e30; value *= 7.654321e1) {
        SCOPED_TRACE(value);
        const double once = round_to_digits(value, 9);
        EXPECT_LE(std::abs(round_to_digits(once, 9) / once - 1.0), 3e-16);
    }
}

TEST(RoundToDigits, LeavesAloneWhatHasNoDigits) {
    EXPECT_EQ(round_to_digits(0.0, 9), 0.0);
    EXPECT_TRUE(std::isnan(round_to_digits(std::nan(""), 9)));
    EXPECT_EQ(round_to_digits(std::numeric_limits<double>::infinity(), 9),
              std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace plimsoll::numeric
