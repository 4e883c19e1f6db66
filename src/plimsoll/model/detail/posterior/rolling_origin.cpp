#include "plimsoll/model/detail/posterior/rolling_origin.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plimsoll/numeric/rounding.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr std::size_t fewest_values = 3;  // to predict from: two unknowns and one to spare
constexpr std::size_t most_predicted = 4;
constexpr std::size_t most_fitted = 16;      // forms with one term
constexpr double negligible = 5.0;           // log evidence behind the best
constexpr double expected_deviations = 1.4;  // within which a value is no surprise
constexpr double dependent = 1e-10;          // determinant of two columns, over that of orthogonal ones

}  // namespace

RollingOrigin::RollingOrigin(std::span<const double> points, const AxisTable& table,
                             PosteriorSearch::Laws laws)
    : laws_(laws), order_(points.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
    for (const std::size_t i : order_) points_.push_back(points[i]);
    columns_.assign(points.size(), 1.0);
    for (const bool is_rising : {true, false}) {
        for (const FunctionId f : is_rising ? rising_functions() : falling_functions()) {
            if (!table.is_usable(f)) continue;
            for (const std::size_t i : order_) columns_.push_back(table.column(f)[i]);
            ++functions_;
        }
        if (is_rising) rising_ = functions_ - 1;
    }
}

NoiseEvidence RollingOrigin::first_values(const NoiseEvidence& noise, std::size_t count) const {
    NoiseEvidence first;
    first.priors = noise.priors;
    first.run_deviation = noise.run_deviation;
    for (std::size_t i = 0; i < count; ++i) {
        first.values.push_back(noise.values[order_[i]]);
        first.runs.push_back(noise.runs[order_[i]]);
    }
    return first;
}

PosteriorSearch& RollingOrigin::search_of(std::size_t count) {
    std::unique_ptr<PosteriorSearch>& search = searches_[count];
    if (search == nullptr) {
        search = std::make_unique<PosteriorSearch>(std::span(points_).first(count), 1, laws_);
    }
    return *search;
}

/// The forms with one term that explain the values best, rated by sums as in `Screening`.
void RollingOrigin::rate_forms(const NoiseEvidence& first) {
    const std::vector<double>& values = first.values;
    double w = 0.0;
    double wy = 0.0;
    double wyy = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        w += weights_[i];
        wy += weights_[i] * values[i];
        wyy += weights_[i] * values[i] * values[i];
    }
    rated_.clear();
    // Columns are scaled as in `FormEvidence`; the prior is that of `families_of_one`.
    const double smallest = *std::min_element(values.begin(), values.end());
    const double of_constant = smallest * smallest;
    double best =
        evidence_.rough_log_evidence(std::max(wyy - wy * wy / w, 0.0), w * of_constant, 1) + std::log(0.13);
    rated_.push_back({.log_evidence = best, .function = 0, .has_constant = false});
    const double log_rising = std::log(0.13 / static_cast<double>(rising_functions().size()));
    const double log_falling = std::log(0.05 / static_cast<double>(falling_functions().size()));
    const double log_gain_of_constant = std::log(2.0);
    const auto add = [&](double rss, double determinant, std::size_t f, bool has_constant) {
        const double log_prior =
            (f <= rising_ ? log_rising : log_falling) + (has_constant ? log_gain_of_constant : 0.0);
        const double rating =
            log_prior + evidence_.rough_log_evidence(std::max(rss, 0.0), determinant, has_constant ? 2 : 1);
        rated_.push_back({.log_evidence = rating, .function = f, .has_constant = has_constant});
        best = std::max(best, rating);
    };
    for (std::size_t f = 1; f < functions_; ++f) {
        const double* t = columns_.data() + f * points_.size();
        double wt = 0.0;
        double wtt = 0.0;
        double wty = 0.0;
        double share = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double weighted = weights_[i] * t[i];
            wt += weighted;
            wtt += weighted * t[i];
            wty += weighted * values[i];
            share = std::max(share, t[i] / values[i]);
        }
        if (!(share > 0.0)) continue;
        const double scale = 1.0 / (share * share);
        add(wyy - wty * wty / wtt, wtt * scale, f, false);
        const double determinant = w * wtt - wt * wt;
        if (!(determinant > dependent * w * wtt)) continue;
        const double slope = (w * wty - wt * wy) / determinant;
        const double constant = (wy - slope * wt) / w;
        if (slope < 0.0 || constant < 0.0) continue;  // the form without that column is better
        add(wyy - constant * wy - slope * wty, determinant * of_constant * scale, f, true);
    }
    std::erase_if(rated_, [&](const Rated& r) { return r.log_evidence < best - negligible; });
    std::sort(rated_.begin(), rated_.end(),
              [](const Rated& a, const Rated& b) { return a.log_evidence > b.log_evidence; });
    rated_.resize(std::min(most_fitted, rated_.size()));
}

/// Whether forms with one term, fitted to all values but the last, predict this one within its noise and
/// their own uncertainty: then all forms together do as well, and need not be tried.
bool RollingOrigin::is_last_as_expected(const NoiseEvidence& noise) {
    const std::size_t last = points_.size() - 1;
    const NoiseEvidence first = first_values(noise, last);
    weights_.resize(last);
    for (std::size_t i = 0; i < last; ++i) weights_[i] = first.runs[i] / (first.values[i] * first.values[i]);
    evidence_.set_values(first.values, first.values, first.priors, false);
    evidence_.set_weights(weights_);
    rate_forms(first);
    double total = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (const Rated& rated : rated_) {
        const double* function = columns_.data() + rated.function * points_.size();
        std::array<const double*, 2> columns{function, nullptr};
        if (rated.has_constant) columns = {columns_.data(), function};
        const std::size_t k = rated.has_constant ? 2 : 1;
        LinearFit fit;
        if (!evidence_.fit(std::span(columns.data(), k), {.has_constant = k == 2, .coefficients = k}, fit))
            continue;
        double value = 0.0;
        double variance = 0.0;
        for (std::size_t a = 0; a < k; ++a) {
            value += fit.coefficients[a] * columns[a][last];
            for (std::size_t b = 0; b < k; ++b) {
                variance +=
                    fit.covariance[a + b] * columns[a][last] * columns[b][last];  // packed, two at most
            }
        }
        const double weight = std::exp(rated.log_evidence - rated_.front().log_evidence);
        const double log = std::log(value);
        total += weight;
        mean += weight * log;
        square += weight * (log * log + variance / (value * value));
    }
    if (total == 0.0) return false;
    mean /= total;
    const double variance = square / total - mean * mean + noise.priors.front().variance;
    const double error = mean - std::log(noise.values[order_[last]]);
    return error * error <= expected_deviations * expected_deviations * variance;
}

void RollingOrigin::examine(const NoiseEvidence& noise, Positive positive, Posterior& posterior) {
    const std::size_t n = points_.size();
    if (n <= fewest_values || !(points_.front() > 0.0)) return;
    const bool is_positive =
        std::all_of(noise.values.begin(), noise.values.end(), [](double value) { return value > 0.0; });
    if (!is_positive) return;
    const bool is_noise_known = !std::isnan(noise.run_deviation);
    const std::size_t predicted =
        is_noise_known ? 1 : std::clamp<std::size_t>(n / 4, 1, std::min(most_predicted, n - fewest_values));
    const std::size_t seen = n - predicted;
    if (!(points_[seen] > points_[seen - 1])) return;
    if (is_noise_known && is_last_as_expected(noise)) return;
    const double step = std::pow(points_[n - 1] / points_[seen - 1], 1.0 / static_cast<double>(predicted));
    const Posterior before =
        search_of(seen).fit(first_values(noise, seen), positive, PosteriorSearch::Effort::rough);
    double squares = 0.0;
    for (std::size_t i = seen; i < n; ++i) {
        const LogMoments moments = log_moments(before, std::span(points_).subspan(i, 1));
        if (!std::isfinite(moments.mean)) return;
        const double distance = std::log(points_[i] / points_[seen - 1]) / std::log(step);
        const double error = moments.mean - std::log(noise.values[order_[i]]);
        double excess = error * error;
        if (is_noise_known) excess -= moments.variance + noise.priors.front().variance;
        squares += std::max(excess, 0.0) / (distance * distance);
    }
    const double discrepancy = std::sqrt(squares / static_cast<double>(predicted));
    if (discrepancy == 0.0) return;
    posterior.discrepancy = numeric::round_to_digits(discrepancy, 9);
    posterior.largest = {points_.back()};
    posterior.step = {numeric::round_to_digits(step, 9)};
}

}  // namespace plimsoll::model::detail
