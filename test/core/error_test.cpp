#include "plimsoll/core/error.hpp"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Error, PutsItsPlaceInFrontOfTheMessage) {
    EXPECT_STREQ(Error(ErrorKind::usage, "is wrong").what(), "is wrong");
    EXPECT_STREQ(Error(ErrorKind::input, Place{.file = "a.txt"}, "is wrong").what(), "a.txt: is wrong");
    EXPECT_STREQ(Error(ErrorKind::input, Place{.file = "a.txt", .line = 7}, "is wrong").what(),
                 "a.txt:7: is wrong");
    EXPECT_STREQ(Error(ErrorKind::input, Place{}, "is wrong").what(), "is wrong");
}

TEST(Error, KeepsWhatItWasMadeOf) {
    const Error error(ErrorKind::environment, Place{.file = "a.txt", .line = 7}, "is wrong", "mend it");
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_EQ(error.place().file, "a.txt");
    EXPECT_EQ(error.place().line, 7U);
    EXPECT_EQ(error.hint(), "mend it");
    EXPECT_EQ(Error(ErrorKind::usage, "is wrong").hint(), "");
}

TEST(Error, KindsHaveNamesAndExitCodes) {
    EXPECT_EQ(name(ErrorKind::usage), "usage");
    EXPECT_EQ(name(ErrorKind::input), "input");
    EXPECT_EQ(name(ErrorKind::environment), "environment");
    EXPECT_EQ(name(ErrorKind::internal), "internal");
    EXPECT_EQ(exit_code(ErrorKind::usage), 2);
    EXPECT_EQ(exit_code(ErrorKind::input), 2);
    EXPECT_EQ(exit_code(ErrorKind::environment), 3);
    EXPECT_EQ(exit_code(ErrorKind::internal), 70);
}

TEST(Expectation, ThatFailsIsAnInternalErrorWithTheCondition) {
    PLIMSOLL_EXPECT(1 + 1 == 2);
    try {
        PLIMSOLL_EXPECT(1 + 1 == 3);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::internal);
        EXPECT_NE(std::string(error.what()).find("1 + 1 == 3"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("error_test.cpp:"), std::string::npos);
        EXPECT_FALSE(error.hint().empty());
    }
}

}  // namespace
}  // namespace plimsoll
