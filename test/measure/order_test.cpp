#include "plimsoll/measure/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace plimsoll::measure {
namespace {

using Order = std::vector<std::size_t>;

TEST(BlockOrder, HoldsEachPointOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 100U}) {
        Order order = block_order(count, 3, 5);
        std::ranges::sort(order);
        Order all(count);
        std::iota(all.begin(), all.end(), std::size_t{0});
        EXPECT_EQ(order, all);
    }
}

TEST(BlockOrder, IsTheSameForASeedAndDiffersBetweenBlocks) {
    EXPECT_EQ(block_order(20, 1, 0), block_order(20, 1, 0));
    EXPECT_NE(block_order(20, 1, 0), block_order(20, 1, 1));
    EXPECT_NE(block_order(20, 1, 0), block_order(20, 2, 0));
    EXPECT_EQ(block_order(5, 0, 0), (Order{3, 1, 2, 4, 0})) << "on every machine";
}

TEST(BlockOrder, TakesEachOrderAlike) {
    std::map<Order, int> counts;
    constexpr int blocks = 6000;
    for (std::size_t block = 0; block < blocks; ++block) ++counts[block_order(3, 9, block)];
    ASSERT_EQ(counts.size(), 6U);
    // Binomial with mean 1000 and standard deviation 29: five of them, by chance once in 10^5 tests.
    for (const auto& [order, count] : counts) EXPECT_NEAR(count, blocks / 6, 145);
}

}  // namespace
}  // namespace plimsoll::measure
