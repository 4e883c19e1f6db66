#include "plimsoll/campaign/resources.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {
namespace {

TEST(Resources, KeepThousandths) {
    Resources resources;
    resources.set("gpus", 0.25);
    resources.set("memory", Resources::most);
    EXPECT_EQ(resources.thousandths("gpus"), 250);
    EXPECT_EQ(resources.thousandths("memory"), 1'000'000'000'000'000'000);
    resources.set("gpus", 0.0);
    EXPECT_EQ(resources.amounts().size(), 1U);
}

TEST(Resources, RefuseWhatIsNoAmount) {
    Resources resources;
    for (const double amount : {-1.0, 2e15, 1e300, HUGE_VAL, std::nan("")}) {
        SCOPED_TRACE(amount);
        EXPECT_THROW(resources.set("x", amount), Error);
    }
    EXPECT_TRUE(resources.amounts().empty());
}

}  // namespace
}  // namespace plimsoll::campaign
