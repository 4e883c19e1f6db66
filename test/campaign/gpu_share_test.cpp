#include "plimsoll/campaign/detail/gpu_share.hpp"

#include <gtest/gtest.h>

namespace plimsoll::campaign {
namespace {

TEST(GpuShare, PutsPartsTogetherAndKeepsWholeDevicesWhole) {
    GpuShare share(2000);
    const auto half = share.take(500);
    const auto quarter = share.take(250);
    ASSERT_TRUE(half && quarter);
    EXPECT_EQ(half->text(), "0");
    EXPECT_EQ(quarter->text(), "0") << "the fullest that has it";
    EXPECT_EQ(share.take(1000)->text(), "1");
    EXPECT_FALSE(share.take(500)) << "only a quarter is left";
    share.give_back(*half);
    EXPECT_EQ(share.take(500)->text(), "0");
}

TEST(GpuShare, GivesSeveralWholeDevicesOrNone) {
    GpuShare share(4000);
    const auto three = share.take(3000);
    ASSERT_TRUE(three);
    EXPECT_EQ(three->text(), "0,1,2");
    EXPECT_FALSE(share.take(2000));
    share.give_back(*three);
    EXPECT_EQ(share.take(4000)->text(), "0,1,2,3");
}

TEST(GpuShare, GivesNothingToWhomNothingIsOwed) {
    GpuShare share(0);
    ASSERT_TRUE(share.take(0));
    EXPECT_EQ(share.take(0)->text(), "");
    EXPECT_FALSE(share.take(1));
}

}  // namespace
}  // namespace plimsoll::campaign
