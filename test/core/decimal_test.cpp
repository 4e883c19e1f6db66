#include "plimsoll/core/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace plimsoll {

namespace {

/// What the standard library reads, and what we read, is the same to the last bit, with the same end and
/// error.
void expect_same(std::string_view text) {
    const char* const last = text.data() + text.size();
    double expected = -1.0;
    double value = -1.0;
    const auto standard = std::from_chars(text.data(), last, expected);
    const auto ours = read_decimal(text.data(), last, value);
    EXPECT_EQ(ours.ptr - text.data(), standard.ptr - text.data()) << text;
    EXPECT_EQ(ours.ec, standard.ec) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
}

TEST(Decimal, ReadsWhatTheStandardLibraryReads) {
    for (const std::string_view text : {"",
                                        "-",
                                        "+1",
                                        ".",
                                        "-.",
                                        "1.",
                                        "-1.",
                                        ".5",
                                        "-.5",
                                        "0",
                                        "-0",
                                        "0.0",
                                        "-0.0",
                                        "00012",
                                        "1.2.3",
                                        "1..2",
                                        "12abc",
                                        "1.5abc",
                                        "1e5",
                                        "1.5e-7",
                                        "1E",
                                        "1.5e",
                                        "1e+",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "nan",
                                        "inf",
                                        "-infinity",
                                        "0x10",
                                        "1_000",
                                        "1 2",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9007199254740993.0",
                                        "900719925474099.3",
                                        "0.9007199254740993",
                                        "9999999999999999999",
                                        "99999999999999999999",
                                        "0.0000000000000000001",
                                        "0.00000000000000000012345",
                                        "12345678901234567890.5",
                                        "123456789012345678",
                                        "0.1",
                                        "0.3",
                                        "603.4891",
                                        "2.2250738585072011e-308",
                                        "179769313486231570000000000000000000000"}) {
        expect_same(text);
    }
}

TEST(Decimal, ReadsTheTextOfAnyDouble) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t digits = random() >> (random() % 64);
        std::string text = std::to_string(digits);
        const std::size_t point = random() % (text.size() + 1);
        if (point > 0) text.insert(point, ".");
        if (random() % 2 == 0) text.insert(0, "-");
        if (random() % 4 == 0) text += "e" + std::to_string(static_cast<int>(random() % 40) - 20);
        expect_same(text);
        text += " 7";
        expect_same(text);
    }
}

}  // namespace

}  // namespace plimsoll
