#include "plimsoll/model/detail/posterior/law_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "plimsoll/numeric/rounding.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double share = 0.16;  // of the prior, for all laws together
constexpr double laws = 11.0;   // each without and with a constant
// ln of the growth over the measured range: alike likely on a logarithmic scale between these.
constexpr double least_gain = 0.2;
constexpr double most_gain = 60.0;
constexpr double gain_step = 1.15;  // between those tried first
constexpr double most_move = 0.25;  // of the gain, in one step
// ln of the largest value whose inverse can be squared: that is a coefficient's variance.
constexpr double most_log_scale = 340.0;
constexpr double smallest_over_log = 3.0;  // x/log2(x) rises from e on

}  // namespace

LawSearch::LawSearch(std::span<const double> points, double middle) : points_(points.size()) {
    if (points.empty()) return;
    const auto [smallest, largest] = std::minmax_element(points.begin(), points.end());
    if (!(*smallest >= 0.0) || !(*largest > *smallest)) return;
    add_free(LawArgument::root, points, middle);
    if (*smallest >= smallest_over_log) add_free(LawArgument::over_log, points, middle);
    add_free(LawArgument::linear, points, middle);
    if (*smallest >= 1.0) add_free(LawArgument::times_log, points, middle);
    add_free(LawArgument::square, points, middle);
    for (const int power : {0, 1, 2}) {
        add_fixed({.kind = LawKind::exponential, .rate = 1.0, .of = LawArgument::linear}, power, points);
    }
    if (*smallest < 1.0) return;
    for (const int power : {-1, 0, 1}) {
        add_fixed({.kind = LawKind::factorial, .rate = 0.0, .of = LawArgument::linear}, power, points);
    }
}

void LawSearch::add_fixed(const Law& law, int power, std::span<const double> points) {
    Candidate candidate{.law = law, .power = power, .column = {}, .along = {}};
    double largest = -std::numeric_limits<double>::infinity();
    for (const double x : points) {
        const double log = log_value(law, x) + (power == 0 ? 0.0 : power * std::log(x));
        candidate.column.push_back(log);
        largest = std::max(largest, log);
    }
    if (!(largest < most_log_scale)) return;
    candidate.log_scale = largest;
    for (double& value : candidate.column) value = std::exp(value - largest);
    candidates_.push_back(std::move(candidate));
}

void LawSearch::add_free(LawArgument argument, std::span<const double> points, double middle) {
    Candidate candidate{
        .law = {.kind = LawKind::exponential, .rate = 0.0, .of = argument}, .column = {}, .along = {}};
    for (const double x : points) candidate.along.push_back(argument_at(argument, x));
    const auto [least, most] = std::minmax_element(candidate.along.begin(), candidate.along.end());
    const double low = *least;
    candidate.range = *most - low;
    candidate.offset = low / candidate.range;
    candidate.most_gain = std::min(most_gain, most_log_scale * candidate.range / *most);
    candidate.turning = (argument_at(argument, middle) - low) / candidate.range;
    for (double& value : candidate.along) value = (value - low) / candidate.range;
    if (candidate.most_gain > least_gain) candidates_.push_back(std::move(candidate));
}

void LawSearch::fill(const Candidate& candidate, double gain, std::span<double> column) const {
    for (std::size_t i = 0; i < points_; ++i) {
        column[i] =
            candidate.along.empty() ? candidate.column[i] : std::exp(gain * (candidate.along[i] - 1.0));
    }
}

/// Fits a law's coefficients, and, where it is free, the shift of its gain: by the first derivative, whose
/// coefficient is that of the last fit.
bool LawSearch::fit_at(const Candidate& candidate, bool has_constant, double gain, bool is_free,
                       FormEvidence& evidence, LinearFit& fit) {
    const std::size_t k = has_constant ? 2 : 1;
    const std::size_t unknowns = k + (is_free ? 1 : 0);
    if (unknowns >= points_) return false;
    columns_.resize(3 * points_);
    std::fill_n(columns_.begin(), points_, 1.0);
    const std::span<double> law = std::span(columns_).subspan(points_, points_);
    fill(candidate, gain, law);
    if (is_free) {
        const double coefficient = fit.coefficients[k - 1];
        for (std::size_t i = 0; i < points_; ++i) {
            columns_[2 * points_ + i] = coefficient * law[i] * (candidate.along[i] - candidate.turning);
        }
    }
    const std::array<const double*, 3> columns{columns_.data(), columns_.data() + points_,
                                               columns_.data() + 2 * points_};
    return evidence.fit(std::span(columns).subspan(has_constant ? 0 : 1, unknowns),
                        {.has_constant = has_constant, .coefficients = k}, fit);
}

bool LawSearch::fit_free(const Candidate& candidate, FormEvidence& evidence, Fitted& result) {
    double best = -std::numeric_limits<double>::infinity();
    for (double gain = least_gain; gain <= candidate.most_gain; gain *= gain_step) {
        LinearFit fit;
        if (!fit_at(candidate, result.has_constant, gain, false, evidence, fit) || !(fit.log_evidence > best))
            continue;
        best = fit.log_evidence;
        result.gain = gain;
        result.fit = fit;
    }
    if (!std::isfinite(best)) return false;
    constexpr int steps = 8;
    for (int step = 0; step < steps; ++step) {
        if (!fit_at(candidate, result.has_constant, result.gain, true, evidence, result.fit)) return false;
        if (step + 1 == steps) break;
        const double shift = result.fit.coefficients[result.fit.unknowns - 1];
        const double most = most_move * result.gain;
        const double before = result.gain;
        result.gain = std::clamp(before + std::clamp(shift, -most, most), least_gain, candidate.most_gain);
        if (std::abs(result.gain - before) < 1e-7 * before) break;
    }
    result.log_evidence = result.fit.log_evidence - std::log(result.gain * std::log(most_gain / least_gain));
    return true;
}

void LawSearch::fit(FormEvidence& evidence) {
    fitted_.clear();
    if (evidence.may_be_negative()) return;
    const double log_prior = std::log(share / (1.0 - share)) - std::log(2.0 * laws);
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
        for (const bool has_constant : {false, true}) {
            Fitted result{.candidate = c, .has_constant = has_constant, .fit = {}};
            if (candidates_[c].along.empty()) {
                if (!fit_at(candidates_[c], has_constant, 0.0, false, evidence, result.fit)) continue;
                result.log_evidence = result.fit.log_evidence;
            } else if (!fit_free(candidates_[c], evidence, result)) {
                continue;
            }
            result.log_evidence += log_prior;
            if (std::isfinite(result.log_evidence)) fitted_.push_back(result);
        }
    }
}

void LawSearch::fill_columns(std::size_t i, std::span<double> columns) const {
    const Fitted& fitted = fitted_[i];
    if (fitted.has_constant) std::fill_n(columns.begin(), points_, 1.0);
    fill(candidates_[fitted.candidate], fitted.gain,
         columns.subspan(fitted.has_constant ? points_ : 0, points_));
}

WeighedForm LawSearch::weighed_form(std::size_t i) const {
    const Fitted& fitted = fitted_[i];
    const Candidate& candidate = candidates_[fitted.candidate];
    const std::size_t k = fitted.has_constant ? 2 : 1;
    std::array<double, 3> unit{1.0, 1.0, 1.0};  // of each unknown in terms of the function's numbers
    WeighedForm form;
    form.has_constant = fitted.has_constant;
    form.degrees_of_freedom = numeric::round_to_digits(fitted.fit.degrees_of_freedom, 9);
    if (fitted.has_constant) form.function.constant = fitted.fit.coefficients[0];
    Law law = candidate.law;
    double log_scale = candidate.log_scale;
    if (!candidate.along.empty()) {
        const double nats = 1.0 / candidate.range;  // of a gain of one
        law.rate = numeric::round_to_digits(fitted.gain * nats / std::numbers::ln2, 9);
        const double written = law.rate * std::numbers::ln2 / nats;
        // Rounded, the rate leaves the value at the middle as it is.
        log_scale =
            written * (candidate.offset + candidate.turning) - fitted.gain * (candidate.turning - 1.0);
        unit[k] = nats / std::numbers::ln2;
        form.free_parameters = {0};
    }
    unit[k - 1] = std::exp(-log_scale);
    form.function.terms.push_back({.coefficient = fitted.fit.coefficients[k - 1] * unit[k - 1],
                                   .factors = {{.parameter = 0,
                                                .exponent = Rational(candidate.power),
                                                .log_exponent = Rational(0),
                                                .segments = {},
                                                .law = law}}});
    const std::size_t unknowns = fitted.fit.unknowns;
    for (std::size_t a = 0; a < unknowns; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            form.covariance.push_back(
                numeric::round_to_digits(fitted.fit.covariance[a * (a + 1) / 2 + b] * unit[a] * unit[b], 9));
        }
    }
    return form;
}

}  // namespace plimsoll::model::detail
