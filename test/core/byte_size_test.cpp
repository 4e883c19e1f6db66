#include "plimsoll/core/byte_size.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(ByteSize, ReadsUnitsByThousandAndByBits) {
    EXPECT_EQ(parse_byte_size("4GB"), 4'000'000'000);
    EXPECT_EQ(parse_byte_size("512 MiB"), 512 << 20);
    EXPECT_EQ(parse_byte_size("1.5kB"), 1500);
    EXPECT_EQ(parse_byte_size("7B"), 7);
}

TEST(ByteSize, RefusesWhatHasNoUnitOrIsNone) {
    for (const char* const text : {"", "4", "GB", "-1B", "4XB", "nanB", "1e30PB"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(parse_byte_size(text));
    }
}

TEST(ByteSize, IsWrittenWithThreeDigits) {
    EXPECT_EQ(byte_size_text(0), "0 B");
    EXPECT_EQ(byte_size_text(999), "999 B");
    EXPECT_EQ(byte_size_text(3'900'000), "3.9 MB");
    EXPECT_EQ(byte_size_text(999'900), "1 MB");
}

}  // namespace
}  // namespace plimsoll
