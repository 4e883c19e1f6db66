#include "plimsoll/campaign/index_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace plimsoll::campaign {
namespace {

std::set<std::uint32_t> members(const IndexSet& set) {
    std::set<std::uint32_t> found;
    for (const IndexRange& range : set.ranges()) {
        for (std::uint32_t i = range.first; i < range.last; ++i) found.insert(i);
    }
    return found;
}

TEST(IndexSet, IsTheSameAsASetOfNumbersUnderRandomChanges) {
    std::mt19937 random(20261130);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    IndexSet set;
    std::set<std::uint32_t> plain;
    for (int i = 0; i < 5000; ++i) {
        const std::uint32_t first = below(60);
        const IndexRange range{first, first + below(12)};
        switch (below(4)) {
            case 0:
                set.insert(range);
                for (std::uint32_t k = range.first; k < range.last; ++k) plain.insert(k);
                break;
            case 1:
                set.remove(range);
                for (std::uint32_t k = range.first; k < range.last; ++k) plain.erase(k);
                break;
            case 2:
                ASSERT_EQ(set.empty(), plain.empty());
                if (!plain.empty()) {
                    ASSERT_EQ(set.take_front(), *plain.begin());
                    plain.erase(plain.begin());
                }
                break;
            default: {
                std::set<std::uint32_t> both;
                for (const IndexRange& part : set.within(range)) {
                    for (std::uint32_t k = part.first; k < part.last; ++k) both.insert(k);
                }
                const std::set<std::uint32_t> wanted(plain.lower_bound(range.first),
                                                     plain.lower_bound(range.last));
                ASSERT_EQ(both, range.first < range.last ? wanted : std::set<std::uint32_t>());
            }
        }
        ASSERT_EQ(members(set), plain);
        for (std::size_t k = 1; k < set.ranges().size(); ++k)
            ASSERT_LT(set.ranges()[k - 1].last, set.ranges()[k].first) << "ranges that touch are one";
    }
}

TEST(IndexSet, OfAMillionIndexesIsOneRange) {
    IndexSet set({0, 1'000'000});
    EXPECT_EQ(set.take_front(), 0U);
    EXPECT_EQ(set.take_front(), 1U);
    EXPECT_EQ(set.ranges().size(), 1U);
    EXPECT_TRUE(set.contains(999'999));
    EXPECT_FALSE(set.contains(1));
}

}  // namespace
}  // namespace plimsoll::campaign
