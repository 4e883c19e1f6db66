#include "plimsoll/campaign/job_spec.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::campaign {
namespace {

TEST(JobSpec, EachErrorHasAHint) {
    for (const char* const text :
         {"[]", R"({"command": 3})", R"({"command": ["true"], "rule": "never"})", R"({"program": ["true"]})",
          R"({"command": ["true"], "count": 0})", R"({"command": []})"}) {
        SCOPED_TRACE(text);
        try {
            (void)spec_from_json(text);
            FAIL() << "it was read";
        } catch (const Error& error) {
            EXPECT_NE(error.hint(), "") << error.what();
        }
    }
}

}  // namespace
}  // namespace plimsoll::campaign
