#include "plimsoll/campaign/selection.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {
namespace {

TEST(Selection, KnowsIdsRangesAndWords) {
    const auto found = parse_selection("3, 5-8,4.17,4.10-19,last", 9);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[0].first_job, 3);
    EXPECT_EQ(found[0].last_job, 3);
    EXPECT_FALSE(found[0].first_task);
    EXPECT_EQ(found[1].last_job, 8);
    EXPECT_EQ(found[2].first_task, 17);
    EXPECT_EQ(found[2].last_task, 17);
    EXPECT_EQ(found[3].first_task, 10);
    EXPECT_EQ(found[3].last_task, 19);
    EXPECT_EQ(found[4].first_job, 9);
    EXPECT_EQ(parse_selection("all", 9).at(0).first_job, 1);
    EXPECT_TRUE(parse_selection("all", 0).empty());
}

TEST(Selection, ShowsWhatItDoesNotUnderstand) {
    for (const char* const text : {"", "x", "3-", "8-5", "3.x", "3-5.1", "-1", "3,,4", "1e3"}) {
        SCOPED_TRACE(text);
        EXPECT_THROW((void)parse_selection(text, 9), Error);
    }
    EXPECT_THROW((void)parse_selection("10", 9), Error);
    EXPECT_THROW((void)parse_selection("0", 9), Error);
    EXPECT_THROW((void)parse_selection("last", 0), Error);
}

}  // namespace
}  // namespace plimsoll::campaign
