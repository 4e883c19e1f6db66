#include "plimsoll/model/detail/refining_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "plimsoll/model/function.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::model::detail {
namespace {

const std::vector<double> x = test::powers_of_two(1, 9);

SingleModel refine(const std::vector<double>& at, const std::vector<double>& y,
                   const FitOptions& options = {.search = Search::extra_p}) {
    SingleModel model = RefiningSearch(at, options).fit(Values(y));
    model.design = nullptr;  // it died with the search
    return model;
}

double predict(const SingleModel& model, double at) {
    const double term = model.form ? power_log(at, model.form->exponent, model.form->log_exponent) : 0.0;
    return model.line.constant + model.line.slope * term;
}

std::vector<double> values_of(const Form& form, double constant, double slope, double noise,
                              unsigned seed = 1) {
    const auto f = [&](auto point) {
        return constant + slope * power_log(point[0], form.exponent, form.log_exponent);
    };
    return test::planted_values(test::grid({x}), f, noise, seed);
}

/// Section 5 of the description of Extra-P, step by step. Only the score of a form is shared.
class ByTheBook {
  public:
    ByTheBook(const std::vector<double>& at, const std::vector<double>& y) : x_(at), y_(y), values_(y_) {}

    std::optional<Form> form() {
        std::vector<Slice> slices;
        std::vector<Candidate> accepted;
        for (int log = 0; log <= 2; ++log) slices.push_back(coarse({.fixed = Rational(log)}, 5));
        slices.push_back(coarse({.along_log = true}, 2));
        for (const Slice& slice : slices) accepted.push_back(slice.best);
        double threshold = 1.5;
        for (int round = 0; round < 10; ++round) {
            std::optional<Candidate> step;
            double gain = 0.0;
            for (Slice& slice : slices) {
                const double before = slice.best.score;
                slice = refined(slice);
                gain = std::max(gain, before / slice.best.score);
                if (!step || slice.best.score < step->score) step = slice.best;
            }
            if (best(accepted).score / step->score >= threshold) {
                accepted.push_back(*step);
                threshold = 1.5;
            } else {
                threshold *= 1.5;
            }
            if (gain < 2.0) break;
        }
        const Candidate winner = best(accepted);
        const bool constant = constant_model(values_).scores.smape / winner.score < 1.3;
        return constant || !contributes(winner) ? std::nullopt : std::optional(winner.form);
    }

  private:
    struct Candidate {
        Form form;
        Line line;
        double score;
        std::size_t position = 0;
    };
    struct Slice {
        bool along_log = false;
        Rational fixed;
        Rational left;
        Rational center;
        Rational right;
        Candidate best;
    };

    static Form at(const Slice& slice, const Rational& exponent) {
        return slice.along_log ? Form{slice.fixed, exponent} : Form{exponent, slice.fixed};
    }
    static Candidate best(const std::vector<Candidate>& list) {
        return *std::min_element(list.begin(), list.end(),
                                 [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    }
    [[nodiscard]] bool contributes(const Candidate& c) const {
        double largest = 0.0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const double term = c.line.slope * power_log(x_[i], c.form.exponent, c.form.log_exponent);
            largest = std::max(largest, std::abs(term / y_[i]));
        }
        return c.line.slope != 0.0 && largest >= 0.0005;
    }
    [[nodiscard]] Candidate best_of(const Slice& slice, const std::vector<Rational>& exponents) const {
        std::optional<Candidate> found;
        for (std::size_t i = 0; i < exponents.size(); ++i) {
            const Form form = at(slice, exponents[i]);
            if (form == Form{}) continue;
            const auto design = FormDesign::make(form, x_);
            const Scored scored = score_form(*design, values_, {});
            const Candidate next{.form = form, .line = scored.line, .score = scored.score, .position = i};
            if (!found || (next.score < found->score && contributes(next))) found = next;
        }
        return *found;
    }
    [[nodiscard]] Slice coarse(Slice slice, int last) const {
        std::vector<Rational> exponents;
        for (int exponent = 0; exponent <= last; ++exponent) exponents.emplace_back(exponent);
        slice.best = best_of(slice, exponents);
        const auto center = static_cast<int>(slice.best.position);
        slice.left = Rational(std::max(center - 1, 0));
        slice.center = Rational(center);
        slice.right = Rational(std::min(center + 1, last));
        return slice;
    }
    [[nodiscard]] Slice refined(Slice slice) const {
        const Rational low = mediant(slice.left, slice.center);
        const Rational high = mediant(slice.center, slice.right);
        slice.best = best_of(slice, {low, slice.center, high});
        switch (slice.best.position) {
            case 0:
                slice.right = slice.center;
                slice.center = low;
                break;
            case 1:
                slice.left = low;
                slice.right = high;
                break;
            default:
                slice.left = slice.center;
                slice.center = high;
                break;
        }
        return slice;
    }

    std::vector<double> x_;
    std::vector<double> y_;
    Values values_;
};

TEST(RefiningSearch, FollowsTheDescriptionStepByStep) {
    std::mt19937 random(31);
    std::uniform_real_distribution<double> uniform(0.1, 4.0);
    std::set<std::int64_t> denominators;
    int constants = 0;
    for (unsigned round = 0; round < 400; ++round) {
        SCOPED_TRACE(round);
        const double power = uniform(random);
        const int log = static_cast<int>(round % 3);
        const double noise = round % 8 == 0 ? 0.3 : 0.01 * (round % 4);
        const double slope = round % 10 == 0 ? 1e-4 : 2.0;
        const auto f = [&](auto p) {
            return 20.0 + slope * std::pow(p[0], power) * std::pow(std::log2(p[0]), log);
        };
        const std::vector<double> y = test::planted_values(test::grid({x}), f, noise, round);
        const SingleModel seen = refine(x, y);
        EXPECT_EQ(seen.form, ByTheBook(x, y).form());
        constants += seen.form ? 0 : 1;
        if (seen.form) denominators.insert(seen.form->exponent.denominator());
    }
    EXPECT_GT(constants, 5) << "the examples are to show all outcomes";
    EXPECT_GE(denominators.size(), 5U);
}

TEST(RefiningSearch, FindsWholeExponents) {
    for (int power = 0; power <= 5; ++power) {
        for (int log = 0; log <= 2; ++log) {
            if (power == 0 && log == 0) continue;
            const Form planted{Rational(power), Rational(log)};
            SCOPED_TRACE(testing::Message() << power << " " << log);
            const SingleModel model = refine(x, values_of(planted, 5.0, 2.0, 0.0));
            ASSERT_TRUE(model.form.has_value());
            EXPECT_EQ(*model.form, planted);
            EXPECT_NEAR(model.line.slope, 2.0, 1e-6);
        }
    }
}

TEST(RefiningSearch, NarrowsFractionsDown) {
    for (const Rational& power : {Rational(1, 2), Rational(2, 3), Rational(3, 2)}) {
        const SingleModel model = refine(x, values_of({power, Rational(0)}, 5.0, 2.0, 0.0));
        ASSERT_TRUE(model.form.has_value());
        EXPECT_EQ(*model.form, (Form{power, Rational(0)})) << numeric::to_text(power);
    }
}

TEST(RefiningSearch, IsNoWorseThanTheBestWholeExponents) {
    std::mt19937 random(21);
    std::uniform_real_distribution<double> uniform(0.3, 3.0);
    for (const Ranking ranking : {Ranking::smape, Ranking::rss}) {
        const FitOptions options{.ranking = ranking};
        for (unsigned round = 0; round < 30; ++round) {
            SCOPED_TRACE(round);
            const double power = uniform(random);
            const auto f = [&](auto p) { return 1.0 + std::pow(p[0], power); };
            const auto y = test::planted_values(test::grid({x}), f, 0.02, round);
            const SingleModel model = refine(x, y, options);
            ASSERT_TRUE(model.form.has_value());
            const double score = ranking == Ranking::smape ? model.scores.smape : model.scores.rss;
            for (int exponent = 0; exponent <= 5; ++exponent) {
                for (int log = 0; log <= 2; ++log) {
                    if (exponent + log == 0) continue;
                    const auto design = FormDesign::make({Rational(exponent), Rational(log)}, x);
                    EXPECT_LE(score, score_form(*design, Values(y), options).score * (1.0 + 1e-9))
                        << exponent << " " << log;
                }
            }
        }
    }
}

TEST(RefiningSearch, StaysCloseUnderNoise) {
    for (const Form& planted : {Form{Rational(1, 2), Rational(0)}, Form{Rational(1), Rational(1)},
                                Form{Rational(2), Rational(0)}}) {
        for (unsigned seed = 0; seed < 10; ++seed) {
            SCOPED_TRACE(testing::Message() << numeric::to_text(planted.exponent) << " seed " << seed);
            const SingleModel model = refine(x, values_of(planted, 5.0, 2.0, 0.01, seed));
            ASSERT_TRUE(model.form.has_value());
            const double truth = 5.0 + 2.0 * power_log(x.back(), planted.exponent, planted.log_exponent);
            EXPECT_NEAR(predict(model, x.back()), truth, 0.05 * truth);
        }
    }
}

TEST(RefiningSearch, KeepsTheConstantUnlessATermIsMuchBetter) {
    int constants = 0;
    for (unsigned seed = 0; seed < 50; ++seed) {
        constants += refine(x, values_of({Rational(0), Rational(0)}, 5.0, 2.0, 0.02, seed)).form ? 0 : 1;
    }
    // A term has to lower the error by a factor of 1.3, and its error is that of points left out.
    EXPECT_GE(constants, 40);
    const SingleModel flat = refine(x, std::vector<double>(x.size(), 3.0));
    EXPECT_FALSE(flat.form.has_value());
    EXPECT_EQ(flat.line.constant, 3.0);
}

TEST(RefiningSearch, UsesNoLogarithmWhereItIsNegativeOrUnwanted) {
    std::vector<double> below = x;
    for (double& value : below) value /= 4.0;
    const auto n_log_n = [](auto p) { return 50.0 + p[0] * std::log2(p[0]); };
    const auto y_below = test::planted_values(test::grid({below}), n_log_n);
    const SingleModel from_below = refine(below, y_below);
    ASSERT_TRUE(from_below.form.has_value());
    EXPECT_TRUE(from_below.form->log_exponent.is_zero());
    const auto y = test::planted_values(test::grid({x}), n_log_n);
    EXPECT_FALSE(refine(x, y).form->log_exponent.is_zero());
    EXPECT_TRUE(refine(x, y, {.logarithms = false}).form->log_exponent.is_zero());
}

TEST(RefiningSearch, IsTheMeanWhereNoFormIsDefined) {
    const std::vector<double> huge{1e200, 2e200, 3e200, 4e200, 5e200};
    const SingleModel model = refine(huge, {1, 2, 3, 4, 5}, {.logarithms = false});
    EXPECT_FALSE(model.form.has_value());
    EXPECT_EQ(model.line.constant, 3.0);
}

TEST(RefiningSearch, ChoosesAlikeWhateverTheUnitAndTheOrder) {
    const std::vector<double> y = values_of({Rational(3, 2), Rational(0)}, 5.0, 2.0, 0.01);
    const SingleModel expected = refine(x, y);
    for (const int exponent : {-40, 5, 60}) {
        std::vector<double> scaled = y;
        for (double& value : scaled) value = std::ldexp(value, exponent);
        const SingleModel seen = refine(x, scaled);
        EXPECT_EQ(seen.form, expected.form);
        EXPECT_EQ(seen.line.slope, std::ldexp(expected.line.slope, exponent));
    }
    const std::vector<double> backwards_x(x.rbegin(), x.rend());
    const std::vector<double> backwards_y(y.rbegin(), y.rend());
    const SingleModel seen = refine(backwards_x, backwards_y);
    EXPECT_EQ(seen.form, expected.form);
    EXPECT_NEAR(seen.line.slope, expected.line.slope, 1e-12 * expected.line.slope);
}

}  // namespace
}  // namespace plimsoll::model::detail
