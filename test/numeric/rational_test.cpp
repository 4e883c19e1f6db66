#include "plimsoll/numeric/rational.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "plimsoll/core/error.hpp"

namespace plimsoll::numeric {
namespace {

TEST(Rational, IsInLowestTermsWithAPositiveDenominator) {
    for (std::int64_t a = -30; a <= 30; ++a) {
        for (std::int64_t b = -30; b <= 30; ++b) {
            if (b == 0) continue;
            const Rational r(a, b);
            EXPECT_GT(r.denominator(), 0);
            EXPECT_EQ(std::gcd(r.numerator(), r.denominator()), 1);
            EXPECT_EQ(r.numerator() * b, a * r.denominator());
            EXPECT_EQ(r.is_zero(), a == 0);
            EXPECT_EQ(r.is_whole(), a % b == 0);
        }
    }
    EXPECT_THROW(Rational(1, 0), Error);
}

TEST(Rational, IsOrderedAsItsValue) {
    std::mt19937 random(1);
    const auto draw = [&] {
        return Rational(static_cast<std::int64_t>(random() % 41) - 20,
                        1 + static_cast<std::int64_t>(random() % 20));
    };
    for (int i = 0; i < 2000; ++i) {
        const Rational a = draw();
        const Rational b = draw();
        EXPECT_EQ(a < b, a.value() < b.value());
        EXPECT_EQ(a == b, a.value() == b.value());
        EXPECT_EQ(a < b, -b < -a);
    }
    // Products of these exceed 64 bits.
    constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max() / 2;
    EXPECT_LT(Rational(large - 1, large), Rational(large, large + 1));
}

TEST(Mediant, LiesBetweenItsParents) {
    std::mt19937 random(2);
    const auto draw = [&] {
        return Rational(static_cast<std::int64_t>(random() % 100),
                        1 + static_cast<std::int64_t>(random() % 30));
    };
    for (int i = 0; i < 1000; ++i) {
        const Rational a = draw();
        const Rational b = draw();
        if (a == b) continue;
        const Rational between = mediant(a, b);
        EXPECT_LT(std::min(a, b), between);
        EXPECT_LT(between, std::max(a, b));
    }
    EXPECT_EQ(mediant({1, 2}, {2, 3}), Rational(3, 5));
}

TEST(ParseRational, ReadsBackItsText) {
    for (std::int64_t a = -12; a <= 12; ++a) {
        for (std::int64_t b = 1; b <= 12; ++b) EXPECT_EQ(parse_rational(to_text({a, b})), Rational(a, b));
    }
    EXPECT_EQ(to_text({6, 3}), "2");
    EXPECT_EQ(to_text({-3, 4}), "-3/4");
}

TEST(ParseRational, UnderstandsDecimals) {
    EXPECT_EQ(parse_rational("0.75"), Rational(3, 4));
    EXPECT_EQ(parse_rational(" -1.5 "), Rational(-3, 2));
    EXPECT_EQ(parse_rational(".5"), Rational(1, 2));
    EXPECT_EQ(parse_rational("-.25"), Rational(-1, 4));
    EXPECT_EQ(parse_rational("2."), Rational(2));
    EXPECT_EQ(parse_rational("+3"), Rational(3));
    EXPECT_EQ(parse_rational("3 / 4"), Rational(3, 4));
    EXPECT_EQ(parse_rational("6/-8"), Rational(-3, 4));
}

TEST(ParseRational, RefusesWhatIsNone) {
    for (const char* text : {"", "x", "1/0", "1/", "/2", "1/2/3", "1.5/2", ".", "-", "1e5", "1.2.3",
                             "0.1234567890123456", "9999999999999999999"}) {
        EXPECT_EQ(parse_rational(text), std::nullopt) << "'" << text << "'";
    }
}

}  // namespace
}  // namespace plimsoll::numeric
