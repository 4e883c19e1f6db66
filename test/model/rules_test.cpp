#include "plimsoll/model/rules.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::model {
namespace {

Rule parse(const std::string& line) { return parse_rule(line, {.file = "rules", .line = 7}); }

std::string complaint(const std::string& text) {
    Input input("rules", text);
    try {
        static_cast<void>(read_rules(input));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.hint().empty());
        return error.what();
    }
    return {};
}

TEST(Rules, SkipBlankLinesAndComments) {
    Input input("rules", "# what must hold\n\nmain : O(1)  # never grows\n  # indented\nn#1 <= 2 @ p=4\n");
    const Rules rules = read_rules(input);
    ASSERT_EQ(rules.rules.size(), 2U);
    EXPECT_EQ(rules.rules[0].line, 3U);
    EXPECT_EQ(rules.rules[0].text, "main : O(1)");
    EXPECT_EQ(rules.rules[1].region, "n#1");
}

TEST(Rules, BoundGrowthInEveryWayThatPeopleWriteIt) {
    for (const char* const bound : {"p^0.5 log p", "p^(1/2) * log2(p)", "sqrt(p) log(p)",
                                    "2 * log10 p * p^0.5", "log(p) p^(1/2)", "p^0.5*log(p)"}) {
        SCOPED_TRACE(bound);
        const Rule rule = parse("main->solve : O(" + std::string(bound) + ")");
        EXPECT_EQ(rule.kind, RuleKind::growth);
        EXPECT_EQ(rule.region, "main->solve");
        ASSERT_EQ(rule.growth.size(), 1U);
        ASSERT_EQ(rule.growth[0].size(), 1U);
        EXPECT_EQ(rule.growth[0][0].parameter, "p");
        EXPECT_EQ(rule.growth[0][0].exponent, numeric::Rational(1, 2));
        EXPECT_EQ(rule.growth[0][0].log_exponent, numeric::Rational(1));
    }
    const Rule sum = parse("main: O(n^2 log(p)^2 + log^3 p + 1)");
    ASSERT_EQ(sum.growth.size(), 3U);
    EXPECT_EQ(sum.growth[0][1].log_exponent, numeric::Rational(2));
    EXPECT_EQ(sum.growth[1][0].log_exponent, numeric::Rational(3));
    EXPECT_TRUE(sum.growth[2].empty());
}

TEST(Rules, BoundValuesWithUnits) {
    const Rule rule = parse("main->io [bytes] <= 1.5 GiB @ p=4096, n=9000");
    EXPECT_EQ(rule.kind, RuleKind::value);
    EXPECT_EQ(rule.region, "main->io");
    EXPECT_EQ(rule.metric, "bytes");
    EXPECT_EQ(rule.relation, Relation::at_most);
    EXPECT_EQ(rule.bound, 1.5);
    EXPECT_EQ(rule.unit, "GiB");
    const std::vector<std::pair<std::string, double>> at{{"p", 4096.0}, {"n", 9000.0}};
    EXPECT_EQ(rule.at, at);
    EXPECT_EQ(parse("main >= 1e3ms @ p=2").unit, "ms");
    EXPECT_EQ(parse("main > 3 @ p=2").relation, Relation::at_least);
    EXPECT_EQ(parse("main<3@p=2").region, "main");
}

TEST(Rules, BoundEfficiencies) {
    const Rule rule = parse("efficiency(main->f(int)) >= 70 % @ p=1024");
    EXPECT_EQ(rule.kind, RuleKind::efficiency);
    EXPECT_EQ(rule.region, "main->f(int)");
    EXPECT_DOUBLE_EQ(rule.bound, 0.7);
    EXPECT_FALSE(rule.scaling);
    EXPECT_EQ(parse("strong efficiency(main) >= 0.7 @ p=2").scaling, experiment::Scaling::strong);
    EXPECT_EQ(parse("weak efficiency(main [time]) >= 0.7 @ p=2").metric, "time");
    EXPECT_EQ(parse("weak form <= 0.7 @ p=2").region, "weak form");
}

TEST(Rules, LeaveRegionsAsTheyAre) {
    EXPECT_EQ(parse("main->std::sort<int, 3> <= 2 s @ p=4").region, "main->std::sort<int, 3>");
    EXPECT_EQ(parse("a::b::O(n) : O(n)").region, "a::b::O(n)");
    EXPECT_EQ(parse("main->operator-><T> <= 2 @ p=4").region, "main->operator-><T>");
    EXPECT_EQ(parse("main@x <= 2 @ p=4").region, "main@x");
    EXPECT_EQ(parse("\"main [clone]\" : O(1)").region, "main [clone]");
    EXPECT_EQ(parse("\"a # b\" [time] : O(1)").metric, "time");
}

TEST(Rules, AreRefusedWithTheirLine) {
    EXPECT_EQ(complaint("main : O(1)\nmain is fast\n"),
              "rules:2: 'main is fast' is neither a growth nor a bound at a point");
    EXPECT_EQ(complaint("main : O(p^1/2)"), "rules:1: in O(p^1/2): write ^(1/...) with brackets");
    EXPECT_EQ(complaint("main : O(p^x)"), "rules:1: in O(p^x): 'x' is no exponent");
    EXPECT_EQ(complaint("main : O(p * p)"), "rules:1: in O(p * p): 'p' stands twice in a product");
    EXPECT_EQ(complaint("main : O()"), "rules:1: in O(): a factor is missing");
    EXPECT_EQ(complaint("main : O(p + )"), "rules:1: in O(p + ): a factor is missing");
    EXPECT_EQ(complaint("main : O(log(p)"), "rules:1: in O(log(p): a bracket is not closed");
    EXPECT_EQ(complaint("main <= fast @ p=4"), "rules:1: 'main <= fast' has no bound");
    EXPECT_EQ(complaint("main <= 4 s @ p"), "rules:1: 'p' is not of the form name=value");
    EXPECT_EQ(complaint("main <= 4 s @ p=4, p=8"), "rules:1: 'p' is given twice");
    EXPECT_EQ(complaint("<= 4 s @ p=4"), "rules:1: the rule names no region");
    EXPECT_EQ(complaint("efficiency(main) >= 3 s @ p=4"),
              "rules:1: an efficiency is in no unit, and here in 's'");
    EXPECT_EQ(complaint("# nothing\n"), "rules: holds no rule");
}

TEST(Rules, AskForPerCentWhereAnEfficiencyIsOutOfReach) {
    EXPECT_EQ(complaint("efficiency(main) >= 80 @ p=4"),
              "rules:1: an efficiency of 80 is out of reach: 1 is ideal");
    EXPECT_EQ(parse("efficiency(main) <= 1.2 @ p=4").bound, 1.2);
    EXPECT_EQ(parse("strong efficiency(main) <= 300 % @ p=4").bound, 3.0);
}

}  // namespace
}  // namespace plimsoll::model
