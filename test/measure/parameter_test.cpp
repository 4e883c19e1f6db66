#include "plimsoll/measure/parameter.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::measure {
namespace {

std::vector<std::string> texts(const std::string& text) {
    std::vector<std::string> result;
    for (const Value& value : parse_parameter(text).values) result.push_back(value.text);
    return result;
}

std::string refusal(const std::string& text) {
    try {
        (void)parse_parameter(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "it was understood";
}

using Texts = std::vector<std::string>;

TEST(Parameter, KeepsValuesAsTheyAreWritten) {
    const ParameterValues parameter = parse_parameter("dt=1e-3, 0.5,+2");
    EXPECT_EQ(parameter.name, "dt");
    ASSERT_EQ(parameter.values.size(), 3U);
    EXPECT_EQ(parameter.values[0].text, "1e-3");
    EXPECT_EQ(parameter.values[0].number, 1e-3);
    EXPECT_EQ(parameter.values[2].number, 2.0);
}

TEST(Parameter, UnderstandsRanges) {
    EXPECT_EQ(texts("p=1..16*2"), (Texts{"1", "2", "4", "8", "16"}));
    EXPECT_EQ(texts("p=1..20*2"), (Texts{"1", "2", "4", "8", "16"}));
    EXPECT_EQ(texts("n=100..500+100"), (Texts{"100", "200", "300", "400", "500"}));
    EXPECT_EQ(texts("n=3..5"), (Texts{"3", "4", "5"}));
    EXPECT_EQ(texts("n=-1..1+0.5"), (Texts{"-1", "-0.5", "0", "0.5", "1"}));
    EXPECT_EQ(texts("n=1,2..4,1e6..4e6*2"), (Texts{"1", "2", "3", "4", "1000000", "2000000", "4000000"}));
}

TEST(Parameter, ReachesALastValueThatRoundingMisses) {
    EXPECT_EQ(parse_parameter("x=0.1..0.7+0.1").values.size(), 7U);
    EXPECT_EQ(parse_parameter("x=1..2*1.0717734625362931").values.size(), 11U);  // 2^(1/10)
}

TEST(Parameter, SaysWhatIsWrong) {
    EXPECT_EQ(refusal("n"), "the parameter 'n' has no values");
    EXPECT_EQ(refusal("n="), "parameter 'n': '' is not a number");
    EXPECT_EQ(refusal("n=1,x"), "parameter 'n': 'x' is not a number");
    EXPECT_EQ(refusal("n=inf"), "parameter 'n': 'inf' is not a number");
    EXPECT_EQ(refusal("n=1,2,1.0"), "parameter 'n': 1.0 is given twice");
    EXPECT_EQ(refusal("n=5..1"), "parameter 'n': the range '5..1' ends before it begins");
    EXPECT_EQ(refusal("n=1..5*1"), "parameter 'n': the range '1..5*1' does not rise");
    EXPECT_EQ(refusal("n=0..5*2"), "parameter 'n': the range '0..5*2' does not rise");
    EXPECT_EQ(refusal("n=1..5+0"), "parameter 'n': the range '1..5+0' does not rise");
    EXPECT_EQ(refusal("n=1..x"), "parameter 'n': '1..x' is not a range");
    EXPECT_EQ(refusal("n=1..1e9"), "parameter 'n': the range '1..1e9' has more than 10000 values");
    EXPECT_EQ(refusal("a b=1"), "'a b' is no name for a parameter");
    EXPECT_EQ(refusal("=1"), "'' is no name for a parameter");
    EXPECT_EQ(refusal("run=1"), "no parameter can be called 'run'");
}

}  // namespace
}  // namespace plimsoll::measure
