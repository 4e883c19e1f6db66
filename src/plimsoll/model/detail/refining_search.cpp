#include "plimsoll/model/detail/refining_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace plimsoll::model::detail {

namespace {

// Extra-P's constants.
constexpr int largest_exponent = 5;
constexpr int largest_log_exponent = 2;
constexpr double acceptance = 1.5;
constexpr double termination = 2.0;
constexpr double non_constancy = 1.3;
constexpr double least_share = 0.0005;
constexpr int most_rounds = 10;

}  // namespace

/// A line through the plane of exponents along which one of them is refined.
struct RefiningSearch::Slice {
    bool along_logarithm = false;
    Rational fixed;  ///< the other exponent
    Rational left;
    Rational center;
    Rational right;
    double score = std::numeric_limits<double>::infinity();  ///< of the step before

    [[nodiscard]] Form at(const Rational& exponent) const {
        return along_logarithm ? Form{fixed, exponent} : Form{exponent, fixed};
    }
};

struct RefiningSearch::Best {
    Scored scored;
    std::size_t position = 0;  ///< in the list of forms
    [[nodiscard]] bool found() const { return scored.design != nullptr; }
};

RefiningSearch::RefiningSearch(std::span<const double> x, const FitOptions& options)
    : x_(x.begin(), x.end()),
      options_(&options),
      logarithms_(options.logarithms &&
                  std::all_of(x.begin(), x.end(), [](double value) { return value >= 1.0; })) {}

const FormDesign* RefiningSearch::design(const Form& form) {
    const auto [found, is_new] = designs_.try_emplace(form);
    if (is_new) found->second = FormDesign::make(form, x_);
    return found->second.get();
}

/// The first valid form is taken as it is; later ones need to contribute and to be better.
RefiningSearch::Best RefiningSearch::best_of(std::span<const Form> forms, const Values& values) {
    Best best;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        if (forms[i] == Form{}) continue;
        const FormDesign* const form_design = design(forms[i]);
        if (form_design == nullptr) continue;
        const Scored scored = score_form(*form_design, values, *options_);
        if (!std::isfinite(scored.score)) continue;
        const bool better = scored.score < best.scored.score &&
                            contributes(*form_design, scored.line, values, options_->minimum_contribution);
        if (!best.found() || better) best = {.scored = scored, .position = i};
    }
    return best;
}

std::vector<RefiningSearch::Slice> RefiningSearch::coarse_slices() const {
    std::vector<Slice> slices;
    for (int log = 0; log <= (logarithms_ ? largest_log_exponent : 0); ++log)
        slices.push_back({.fixed = Rational(log)});
    if (logarithms_) slices.push_back({.along_logarithm = true});
    return slices;
}

RefiningSearch::Best RefiningSearch::refine(Slice& slice, const Values& values) {
    const std::array exponents{mediant(slice.left, slice.center), slice.center,
                               mediant(slice.center, slice.right)};
    const std::array forms{slice.at(exponents[0]), slice.at(exponents[1]), slice.at(exponents[2])};
    const Best best = best_of(forms, values);
    if (!best.found()) return best;
    const Slice before = slice;
    slice.center = exponents[best.position];
    if (best.position > 0) slice.left = best.position == 1 ? exponents[0] : before.center;
    if (best.position < 2) slice.right = best.position == 1 ? exponents[2] : before.center;
    return best;
}

SingleModel RefiningSearch::fit(const Values& values) {
    SingleModel constant = constant_model(values);
    if (constant.scores.rss == 0.0) return constant;

    std::vector<Scored> accepted;
    std::vector<Slice> slices;
    for (Slice& slice : coarse_slices()) {
        std::vector<Form> forms;
        const int last = slice.along_logarithm ? largest_log_exponent : largest_exponent;
        for (int exponent = 0; exponent <= last; ++exponent) forms.push_back(slice.at(Rational(exponent)));
        const Best best = best_of(forms, values);
        if (!best.found()) continue;
        const auto position = static_cast<int>(best.position);
        slice.left = Rational(std::max(position - 1, 0));
        slice.center = Rational(position);
        slice.right = Rational(std::min(position + 1, last));
        slice.score = best.scored.score;
        accepted.push_back(best.scored);
        slices.push_back(slice);
    }
    // Extra-P crashes here; no form is valid, so the mean is what can be said.
    if (accepted.empty()) return constant;

    const auto by_score = [](const Scored& a, const Scored& b) { return a.score < b.score; };
    double threshold = acceptance;
    for (int round = 0; round < most_rounds; ++round) {
        Scored step;
        double largest_gain = 0.0;
        for (Slice& slice : slices) {
            const double before = slice.score;
            const Best best = refine(slice, values);
            if (!best.found()) continue;
            slice.score = best.scored.score;
            largest_gain = std::max(largest_gain, before / best.scored.score);
            if (step.design == nullptr || best.scored.score < step.score) step = best.scored;
        }
        if (step.design == nullptr) break;
        const double global = std::min_element(accepted.begin(), accepted.end(), by_score)->score;
        if (global / step.score >= threshold) {
            accepted.push_back(step);
            threshold = acceptance;
        } else {
            threshold *= acceptance;
        }
        if (!(largest_gain >= termination)) break;
    }
    const Scored best = *std::min_element(accepted.begin(), accepted.end(), by_score);
    const double constant_score =
        options_->ranking == Ranking::smape ? constant.scores.smape : constant.scores.rss;
    if (constant_score / best.score < non_constancy ||
        !contributes(*best.design, best.line, values, least_share)) {
        return constant;
    }
    return complete(best, values, *options_);
}

}  // namespace plimsoll::model::detail
