#include "plimsoll/measure/machine_watch.hpp"

#include <gtest/gtest.h>

namespace plimsoll::measure {
namespace {

TEST(ProcessorTimes, AreReadFromProcStat) {
    // user nice system idle iowait irq softirq steal guest guest_nice, in hundredths of a second
    const auto times = parse_processor_times("cpu  100 20 30 800 50 1 2 7 40 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
    ASSERT_TRUE(times);
    EXPECT_DOUBLE_EQ(times->busy, 1.53);
    EXPECT_DOUBLE_EQ(times->stolen, 0.07);
    EXPECT_DOUBLE_EQ(times->total, 10.10);
    EXPECT_EQ(parse_processor_times("cpu  1 2 3\n"), std::nullopt);
    EXPECT_EQ(parse_processor_times("intr 1 2 3 4 5 6 7 8\n"), std::nullopt);
    EXPECT_TRUE(read_processor_times());
}

TEST(Disturbance, IsWhatOthersTook) {
    const ProcessorTimes before{.busy = 10.0, .stolen = 1.0, .total = 100.0};
    const ProcessorTimes after{.busy = 14.0, .stolen = 1.5, .total = 110.0};
    const auto seen = disturbance(before, after, Seconds(3.0));
    ASSERT_TRUE(seen);
    EXPECT_DOUBLE_EQ(seen->others, 0.1);
    EXPECT_DOUBLE_EQ(seen->stolen, 0.05);
    EXPECT_EQ(
        describe(*seen),
        "other processes took 10 % of the processors, and other virtual machines took 5 % of the processors");
}

TEST(Disturbance, IsNotNegativeWhereTicksAreCoarse) {
    const ProcessorTimes before{.busy = 0.0, .stolen = 0.0, .total = 0.0};
    const ProcessorTimes after{.busy = 0.5, .stolen = 0.0, .total = 1.0};
    EXPECT_EQ(disturbance(before, after, Seconds(0.51))->others, 0.0);
    EXPECT_TRUE(disturbance(before, after, Seconds(0.51))->is_small());
}

TEST(Disturbance, CannotBeToldOfAnInstant) {
    const ProcessorTimes after{.busy = 0.1, .stolen = 0.0, .total = 0.1};
    EXPECT_EQ(disturbance({}, after, Seconds(0)), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::measure
