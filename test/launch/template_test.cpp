#include "plimsoll/launch/template.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::launch {
namespace {

const std::vector<std::string> names{"n", "threads", "run"};
const Replacements values{{"n", "1000"}, {"threads", "2"}, {"run", "7"}};

std::string filled(const std::string& text) { return Template(text, names).fill(values); }

std::string refusal(const std::string& text) {
    try {
        Template(text, names);
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint();
    }
    return "it was understood";
}

TEST(Template, PutsValuesInTheirPlaces) {
    EXPECT_EQ(filled("--size={n}"), "--size=1000");
    EXPECT_EQ(filled("{n}{threads}-{run}"), "10002-7");
    EXPECT_EQ(filled("plain"), "plain");
    EXPECT_EQ(filled(""), "");
}

TEST(Template, KeepsBraces) {
    EXPECT_EQ(filled(R"({{"n": {n}}})"), R"({"n": 1000})") << "a brace that closes nothing is one";
    EXPECT_EQ(filled("{{n}}"), "{n}");
    EXPECT_EQ(filled("a}b"), "a}b");
    EXPECT_EQ(filled("{{{n}"), "{1000");
}

TEST(Template, KnowsWhatItUses) {
    const Template text("{n} {{threads}}", names);
    EXPECT_TRUE(text.uses("n"));
    EXPECT_FALSE(text.uses("threads"));
    EXPECT_TRUE(text.has_placeholders());
    EXPECT_FALSE(Template("{{n}}", names).has_placeholders());
}

TEST(Template, NamesTheNearestPlaceholder) {
    EXPECT_EQ(refusal("{thread}"),
              "there is no value 'thread' for the placeholder in '{thread}' | "
              "did you mean '{threads}'? For a brace itself write '{{'");
    EXPECT_EQ(refusal("{\"size\": 1}"),
              "there is no value '\"size\": 1' for the placeholder in '{\"size\": 1}' | "
              "use one of {n}, {threads}, {run}; for a brace itself write '{{'");
    EXPECT_EQ(refusal("{n"), "a brace is not closed in '{n' | write '{{' where you mean the brace itself");
}

}  // namespace
}  // namespace plimsoll::launch
