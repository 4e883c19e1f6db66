#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "test/support/read_profiles.hpp"

namespace plimsoll::test {

/// Reads each text, of which something is wrong, and expects the message that stands beside it, with a hint.
inline void expect_errors(const std::vector<std::pair<std::string, std::string>>& wrong) {
    for (const auto& [text, message] : wrong) {
        SCOPED_TRACE(message);
        try {
            (void)read_profile(text);
            ADD_FAILURE() << "nothing is wrong";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_FALSE(error.hint().empty());
            EXPECT_EQ(std::string(error.what()), message);
        }
    }
}

}  // namespace plimsoll::test
