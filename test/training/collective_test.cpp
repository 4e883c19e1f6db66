#include "plimsoll/training/collective.hpp"

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

// An all-reduce of n ranks sends all but one n-th of the data twice; a ring of 4 with 8 bytes each: 12 bytes.
TEST(BusFactor, IsWhatPassesALinkOfABestAlgorithm) {
    EXPECT_DOUBLE_EQ(*bus_factor("allreduce", 4), 1.5);
    EXPECT_DOUBLE_EQ(*bus_factor("all_reduce (4 ranks)", 4), 1.5);
    EXPECT_DOUBLE_EQ(*bus_factor("reduce_scatter", 4), 0.75);
    EXPECT_DOUBLE_EQ(*bus_factor("_allgather_base", 4), 3.0) << "of the own part";
    EXPECT_DOUBLE_EQ(*bus_factor("ncclDevKernel_AllReduce_Sum_f32", 2), 1.0);
    EXPECT_DOUBLE_EQ(*bus_factor("broadcast", 64), 1.0);
    EXPECT_DOUBLE_EQ(*bus_factor("allreduce", 1), 0.0) << "one rank sends nothing";
    EXPECT_FALSE(bus_factor("barrier", 4));
}

// All-reduce is reduce-scatter and all-gather, one after the other: of 8 bytes each, then of 2 each.
TEST(BusFactor, AddsUpOverTheHalvesOfAnAllReduce) {
    for (const double ranks : {2.0, 3.0, 8.0, 100.0}) {
        const double halves = *bus_factor("reducescatter", ranks) + *bus_factor("allgather", ranks) / ranks;
        EXPECT_NEAR(halves, *bus_factor("allreduce", ranks), 1e-14) << ranks;
    }
}

TEST(RanksOf, AreThoseOfTheNameOrAll) {
    EXPECT_EQ(ranks_of("allreduce (8 ranks)", 64), 8);
    EXPECT_EQ(ranks_of("allreduce", 64), 64);
    EXPECT_EQ(ranks_of("ncclKernel(float)", 64), 64);
}

}  // namespace
}  // namespace plimsoll::training
