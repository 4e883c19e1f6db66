#include "plimsoll/profile/detail/busy_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <vector>

namespace plimsoll::profile::detail {
namespace {

TEST(BusyTime, CountsWhatOverlapsOnce) {
    std::vector<WorkInterval> intervals{{10, 30, Work::computation},   {0, 20, Work::computation},
                                        {25, 60, Work::communication}, {40, 45, Work::communication},
                                        {50, 70, Work::memory},        {80, 85, Work::memory}};
    const BusyTime busy = busy_time(intervals);
    EXPECT_EQ(busy.computation, 30);
    EXPECT_EQ(busy.communication, 35);
    EXPECT_EQ(busy.exposed_communication, 30);  // from 30 to 60
    EXPECT_EQ(busy.memory, 25);
    EXPECT_EQ(busy.any, 75);
    std::vector<WorkInterval> none;
    EXPECT_EQ(busy_time(none).any, 0);
}

/// Each unit of time is looked at by itself.
TEST(BusyTime, AgreesWithCountingEachUnit) {
    std::mt19937 random(20261130);
    constexpr int length = 200;
    for (int round = 0; round < 200; ++round) {
        std::vector<WorkInterval> intervals;
        std::array<std::array<bool, length>, 3> works{};
        for (int i = 0; i < 30; ++i) {
            const int begin = static_cast<int>(random() % length);
            const int end = std::min(length, begin + static_cast<int>(random() % 20));
            const std::size_t work = random() % 3;
            intervals.push_back(
                {static_cast<double>(begin), static_cast<double>(end), static_cast<Work>(work)});
            for (int t = begin; t < end; ++t) works[work][static_cast<std::size_t>(t)] = true;
        }
        BusyTime expected;
        for (std::size_t t = 0; t < length; ++t) {
            expected.computation += works[0][t] ? 1 : 0;
            expected.communication += works[1][t] ? 1 : 0;
            expected.exposed_communication += works[1][t] && !works[0][t] ? 1 : 0;
            expected.memory += works[2][t] ? 1 : 0;
            expected.any += works[0][t] || works[1][t] || works[2][t] ? 1 : 0;
        }
        const BusyTime busy = busy_time(intervals);
        EXPECT_EQ(busy.computation, expected.computation);
        EXPECT_EQ(busy.communication, expected.communication);
        EXPECT_EQ(busy.exposed_communication, expected.exposed_communication);
        EXPECT_EQ(busy.memory, expected.memory);
        EXPECT_EQ(busy.any, expected.any);
    }
}

}  // namespace
}  // namespace plimsoll::profile::detail
