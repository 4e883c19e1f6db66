#include "plimsoll/core/duration.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Duration, CarriesItsUnit) {
    EXPECT_EQ(parse_duration("500ms"), Seconds(0.5));
    EXPECT_EQ(parse_duration("60s"), Seconds(60));
    EXPECT_EQ(parse_duration("1.5 h"), Seconds(5400));
    EXPECT_EQ(parse_duration("2d"), Seconds(172800));
    for (const char* const text : {"", "60", "s", "-1s", "0s", "1y", "infs"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(parse_duration(text));
    }
}

}  // namespace
}  // namespace plimsoll
