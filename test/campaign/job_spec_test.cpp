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

TEST(JobSpec, TakesWholeNumbersThatFitAlone) {
    const auto error_of = [](const std::string& member) {
        try {
            (void)spec_from_json(R"({"command": ["true"], )" + member + "}");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(error_of(R"("count": 4294967295)"), "");
    EXPECT_EQ(error_of(R"("count": 4294967296)"),
              "job description: 'count' is 4294967296, which is not of its kind");
    EXPECT_EQ(error_of(R"("count": 1.5)"), "job description: 'count' is 1.5, which is not of its kind");
    EXPECT_EQ(error_of(R"("after": [2.2e49])"),
              "job description: 'after' is [2.2e+49], which is not of its kind");
    EXPECT_EQ(error_of(R"("resources": {"cpus": 1e300})"),
              "job description: 'resources' is {\"cpus\":1e+300}, which is not of its kind");
    EXPECT_EQ(error_of(R"("first": 9223372036854775808)"),
              "job description: 'first' is 9223372036854775808, which is not of its kind");
}

}  // namespace
}  // namespace plimsoll::campaign
