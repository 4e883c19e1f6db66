#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace plimsoll::test {

/// Path of a file or folder in ../shared beside the checkout (or in $PLIMSOLL_SHARED); empty where it is
/// absent. With PLIMSOLL_REQUIRE_SHARED=1 its absence is an error instead, so that a test cannot be skipped
/// unseen.
[[nodiscard]] std::optional<std::string> shared_path(const std::string& relative);

}  // namespace plimsoll::test

/// Declares `variable` as the path of shared data, or skips the test with a message.
#define PLIMSOLL_SHARED_OR_SKIP(variable, relative)                                \
    const auto variable##_found = ::plimsoll::test::shared_path(relative);         \
    if (!variable##_found) {                                                       \
        GTEST_SKIP() << "needs ../shared/" << (relative) << ", which is not here"; \
    }                                                                              \
    const std::string& variable = *variable##_found
