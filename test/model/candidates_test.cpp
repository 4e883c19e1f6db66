#include "plimsoll/model/detail/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plimsoll/core/error.hpp"

namespace plimsoll::model::detail {
namespace {

std::string to_text(const std::vector<Form>& forms) {
    std::string text;
    for (const Form& form : forms) {
        text += (text.empty() ? "" : " ") + numeric::to_text(form.exponent) + "," +
                numeric::to_text(form.log_exponent);
    }
    return text;
}

TEST(CandidateForms, AreThoseOfExtraPInItsOrder) {
    EXPECT_EQ(to_text(candidate_forms({})),
              "0,1 0,2 1/4,0 1/3,0 1/4,1 1/3,1 1/4,2 1/3,2 1/2,0 1/2,1 1/2,2 2/3,0 3/4,0 2/3,1 3/4,1 4/5,0 "
              "2/3,2 3/4,2 "
              "1,0 1,1 1,2 5/4,0 5/4,1 4/3,0 4/3,1 3/2,0 3/2,1 3/2,2 5/3,0 7/4,0 2,0 2,1 2,2 9/4,0 7/3,0 "
              "5/2,0 5/2,1 "
              "5/2,2 8/3,0 11/4,0 3,0 3,1");
    EXPECT_EQ(to_text(candidate_forms({.logarithms = false})),
              "1/4,0 1/3,0 1/2,0 2/3,0 3/4,0 4/5,0 1,0 5/4,0 4/3,0 3/2,0 5/3,0 7/4,0 2,0 9/4,0 7/3,0 5/2,0 "
              "8/3,0 11/4,0 "
              "3,0");
}

TEST(CandidateForms, HaveNoFormTwiceAndNotTheConstant) {
    for (const bool logarithms : {true, false}) {
        for (const bool negative : {true, false}) {
            const auto forms = candidate_forms({.logarithms = logarithms, .negative_exponents = negative});
            EXPECT_EQ(std::set<Form>(forms.begin(), forms.end()).size(), forms.size());
            EXPECT_EQ(std::count(forms.begin(), forms.end(), Form{}), 0);
        }
    }
}

TEST(CandidateForms, FallAsTheyRiseWithNegativeExponents) {
    for (const auto& [logarithms, count] : {std::pair{true, 84U}, std::pair{false, 38U}}) {
        const auto rising = candidate_forms({.logarithms = logarithms});
        const auto forms = candidate_forms({.logarithms = logarithms, .negative_exponents = true});
        ASSERT_EQ(forms.size(), count);
        EXPECT_TRUE(std::equal(rising.begin(), rising.end(), forms.begin())) << "the rising ones come first";
        for (const Form& form : rising) {
            const Form mirrored{-form.exponent, -form.log_exponent};
            EXPECT_NE(std::find(forms.begin(), forms.end(), mirrored), forms.end()) << to_text({mirrored});
        }
    }
}

TEST(CandidateForms, FromExponentsGivenAreEachAloneAndInPairs) {
    EXPECT_EQ(to_text(candidate_forms({.exponents = "0, 1/2,0.75", .log_exponents = "0,1"})),
              "1/2,0 3/4,0 0,1 0,1 1/2,0 1/2,1 3/4,0 3/4,1");
    EXPECT_EQ(to_text(candidate_forms({.exponents = "2,-1"})), "2,0 -1,0");
    EXPECT_EQ(to_text(candidate_forms({.log_exponents = "3"})), "0,3");
}

TEST(CandidateForms, FromExponentsInPairsAreNothingElse) {
    EXPECT_EQ(to_text(candidate_forms(
                  {.exponents = "1,2", .log_exponents = "1", .exponent_use = ExponentUse::pairs})),
              "1,1 2,1");
    EXPECT_TRUE(candidate_forms({.exponents = "1,2", .exponent_use = ExponentUse::pairs}).empty())
        << "without a partner there is no pair";
}

TEST(CandidateForms, FromExponentsAddedComeBeforeTheDefaultOnes) {
    const auto forms = candidate_forms({.exponents = "4", .exponent_use = ExponentUse::added});
    EXPECT_EQ(to_text(forms), "4,0 " + to_text(candidate_forms({})));
}

TEST(CandidateForms, KeepLogarithmsThatTheUserGives) {
    EXPECT_EQ(to_text(candidate_forms({.logarithms = false, .log_exponents = "1"})), "0,1");
}

TEST(CandidateForms, TakeAnEmptyListForNone) {
    EXPECT_EQ(candidate_forms({.exponents = "  ", .log_exponents = ""}), candidate_forms({}));
}

TEST(CandidateForms, RefuseWhatIsNoExponent) {
    for (const std::string list : {"1,two", "1,,2", "1/0", "nan", "0x2", "1 2", "1/2/3", "1e300"}) {
        SCOPED_TRACE(list);
        for (const bool logarithm : {false, true}) {
            FitOptions options{.search = Search::extra_p};
            (logarithm ? options.log_exponents : options.exponents) = list;
            try {
                (void)candidate_forms(options);
                FAIL() << "was read without an error";
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::usage);
                const std::string option = logarithm ? "--log-exponents: '" : "--exponents: '";
                EXPECT_EQ(std::string(error.what()).find(option), 0U) << error.what();
                EXPECT_NE(error.hint(), "");
            }
        }
    }
}

}  // namespace
}  // namespace plimsoll::model::detail
