#include "plimsoll/core/duration.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plimsoll/core/error.hpp"

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

TEST(Duration, IsNoLongerThanClocksCount) {
    EXPECT_EQ(parse_duration("36500d"), longest_duration);
    for (const char* const text : {"36501d", "999999d", "1e300s"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(parse_duration(text));
        try {
            (void)duration_of("--time", text);
            FAIL() << "it was taken";
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()),
                      std::string("--time: '") + text + "' is longer than 100 years");
        }
    }
}

}  // namespace
}  // namespace plimsoll
