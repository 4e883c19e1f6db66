#include "plimsoll/profile/detail/periodic_steps.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace plimsoll::profile::detail {
namespace {

using Values = std::vector<double>;

/// Occurrences by their letters, each 2 long, with a rest of 1 before each and of 5 before a '.'.
std::vector<Occurrence> sequence(const std::string& letters) {
    std::vector<Occurrence> all;
    double time = 0.0;
    for (const char letter : letters) {
        if (letter == '.') {
            time += 4.0;
            continue;
        }
        time += 1.0;
        all.push_back({.begin = time,
                       .end = time + 2.0,
                       .called = time - 0.5,
                       .name = static_cast<std::uint32_t>(letter)});
        time += 2.0;
    }
    return all;
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(PeriodicSteps, BeginWhereTheDeviceRests) {
    const PeriodicSteps steps = periodic_steps(sequence(repeated("bc.a", 5)));
    EXPECT_EQ(steps.period, 3U);
    EXPECT_EQ(steps.boundaries, (Values{10.5, 23.5, 36.5, 49.5, 62.5})) << "a is the first of each step";
}

TEST(PeriodicSteps, AreNotTheLayersOfANetwork) {
    // Forward, backward and optimizer of eight layers, of which two names occur once in a step.
    const std::string step = "." + repeated("abc", 8) + "L" + repeated("xyz", 8) + "O";
    const PeriodicSteps steps = periodic_steps(sequence(repeated(step, 6)));
    EXPECT_EQ(steps.period, 50U);
    ASSERT_EQ(steps.boundaries.size(), 6U);
    EXPECT_DOUBLE_EQ(steps.boundaries[1] - steps.boundaries[0], 50 * 3 + 4);
}

TEST(PeriodicSteps, AreFoundBehindWarmUpAndAroundWhatOccursNowAndThen) {
    const std::string step = ".abcdefghij";
    const PeriodicSteps steps =
        periodic_steps(sequence("qrstuvq" + repeated(step, 12) + "SAVEIT" + repeated(step, 12)));
    EXPECT_EQ(steps.period, 10U);
    ASSERT_EQ(steps.boundaries.size(), 24U);
    EXPECT_DOUBLE_EQ(steps.boundaries[5] - steps.boundaries[4], 34.0);
    EXPECT_DOUBLE_EQ(steps.boundaries[12] - steps.boundaries[11], 34.0 + 6 * 3)
        << "saving is of the step before";
}

TEST(PeriodicSteps, AreNotSeenInWhatDoesNotRecur) {
    EXPECT_EQ(periodic_steps({}).period, 0U);
    EXPECT_EQ(periodic_steps(sequence("abcabc")).period, 0U) << "twice is no period";
    EXPECT_EQ(periodic_steps(sequence(repeated("a", 100))).period, 0U);
    std::mt19937 random(7);
    std::uniform_int_distribution<int> letter('a', 'z');
    std::string letters;
    for (int i = 0; i < 2000; ++i) letters += static_cast<char>(letter(random));
    EXPECT_EQ(periodic_steps(sequence(letters)).period, 0U);
}

// Autotuning runs X in place of c three times, behind a long rest: it recurs as a step does, and is none.
TEST(PeriodicSteps, DoNotBeginWithWhatOccursInFewOfThem) {
    const PeriodicSteps steps =
        periodic_steps(sequence(repeated(".ab..Xdefgh", 3) + repeated(".abcdefgh", 37)));
    EXPECT_EQ(steps.period, 8U);
    EXPECT_EQ(steps.boundaries.size(), 40U);
}

// Every twelfth step, something of the usual runs once more.
TEST(PeriodicSteps, DoNotBeginWithWhatOccursOftener) {
    const std::string step = ".abcdefgh";
    const PeriodicSteps steps = periodic_steps(sequence(repeated(repeated(step, 12) + "...a", 8)));
    EXPECT_EQ(steps.period, 8U);
    EXPECT_EQ(steps.boundaries.size(), 96U);
}

}  // namespace
}  // namespace plimsoll::profile::detail
