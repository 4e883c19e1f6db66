#include "plimsoll/model/detail/posterior/regime_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plimsoll::model::detail {

namespace {

constexpr double negligible = 0.01;        // probability of several regimes, or of one of them
constexpr double negligible_form = 1e-4;   // probability of a form
constexpr double worth_telling = 0.1;      // probability of several regimes from which users hear of them
constexpr double clear = 0.8;              // probability of several regimes from which they are named
constexpr std::size_t most_searches = 32;  // kept for series to come
constexpr double least_gain = 16.0;  // of the squared residuals in units of the noise, by several regimes
constexpr double other_regimes_tell = 0.6;  // probability that noise is the same everywhere

/// The values of a regime, with what the others tell of the noise where repetitions do not.
NoiseEvidence noise_of_regime(const NoiseEvidence& noise, std::span<const std::size_t> order,
                              double variance) {
    NoiseEvidence result;
    result.run_deviation = noise.run_deviation;
    result.drifts = noise.drifts;
    result.priors = noise.priors;
    for (const std::size_t i : order) {
        result.values.push_back(noise.values[i]);
        result.runs.push_back(noise.runs[i]);
    }
    const double freedom = 0.5 * static_cast<double>(noise.values.size() - order.size());
    if (!std::isnan(noise.run_deviation) || freedom < 1.0) return result;
    for (NoisePrior& prior : result.priors) prior.log_weight += std::log(1.0 - other_regimes_tell);
    result.priors.push_back(
        {.log_weight = std::log(other_regimes_tell), .degrees_of_freedom = freedom, .variance = variance});
    return result;
}

/// What the forms that hold everywhere leave of the values.
double rss_of(const NoiseEvidence& noise, const PosteriorSearch& whole) {
    double sum = 0.0;
    for (std::size_t i = 0; i < noise.values.size(); ++i) {
        const double residual = noise.values[i] - whole.fitted()[i];
        sum += whole.weights()[i] * residual * residual;
    }
    return sum;
}

/// Whether that is too little for several regimes to be worth a thought.
bool is_explained(const NoiseEvidence& noise, double rss) {
    const auto n = static_cast<double>(noise.values.size());
    double variance = noise.priors.front().variance;
    for (const NoisePrior& prior : noise.priors) variance = std::min(variance, prior.variance);
    if (std::isnan(noise.run_deviation)) return rss < 0.25 * n * variance;
    // What noise alone leaves at least when several regimes are fitted.
    const double freedom = std::max(n - 2.0 * static_cast<double>(fewest_regime_points), 0.0);
    const double left = std::max(freedom - 2.5 * std::sqrt(2.0 * freedom), 0.0);
    return rss < (left + least_gain) * variance;
}

bool contains(const std::vector<Regime>& way, const Regime& regime) {
    return std::ranges::any_of(
        way, [&](const Regime& other) { return other.begin == regime.begin && other.end == regime.end; });
}

/// Regimes of the most probable way, and those others that are probable enough.
std::vector<Regime> regimes_worth_modelling(const ChangePoints& found, double probability) {
    std::vector<Regime> regimes = found.best_way;
    for (Regime& regime : regimes) regime.probability = std::max(regime.probability, negligible_form);
    for (const Regime& regime : found.regimes) {
        const bool is_probable = regime.probability * probability >= negligible;
        if (is_probable && !contains(found.best_way, regime)) regimes.push_back(regime);
    }
    return regimes;
}

/// How many forms of a regime are kept: fewer of those that hardly count.
std::size_t most_forms(double probability) { return probability > 0.3 ? 70 : probability > 0.05 ? 20 : 6; }

}  // namespace

RegimeSearch::RegimeSearch(std::span<const double> points, const PosteriorSearch& whole,
                           PosteriorSearch::Laws laws)
    : laws_(laws), middle_(whole.tables().front().middle()), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
    for (const std::size_t i : order_) points_.push_back(points[i]);
}

RegimeSearch::OfRegime& RegimeSearch::search_of(const Regime& regime) {
    const std::pair key(regime.begin, regime.end);
    const auto found = searches_.find(key);
    if (found != searches_.end()) return found->second;
    if (searches_.size() == most_searches) searches_.clear();
    const std::span<const double> points =
        std::span(points_).subspan(regime.begin, regime.end - regime.begin);
    OfRegime& kept = searches_.try_emplace(key, points, laws_, middle_).first->second;
    if (regime.end == points_.size())
        kept.rolling_origin = std::make_unique<RollingOrigin>(points, kept.search.tables().front(), laws_);
    return kept;
}

Posterior RegimeSearch::posterior_of(const Regime& regime, const NoiseEvidence& noise, double variance,
                                     Positive positive) {
    OfRegime& of_regime = search_of(regime);
    const NoiseEvidence own =
        noise_of_regime(noise, std::span(order_).subspan(regime.begin, regime.end - regime.begin), variance);
    Posterior posterior = of_regime.search.fit(own, positive);
    if (of_regime.rolling_origin != nullptr) of_regime.rolling_origin->examine(own, positive, posterior);
    return posterior;
}

Range RegimeSearch::range_of(const Regime& regime) const {
    Range range;
    if (regime.begin > 0) range.from = points_[regime.begin - 1];
    if (regime.end < points_.size()) range.to = points_[regime.end];
    return range;
}

std::vector<ChangePoint> RegimeSearch::changes(const ChangePoints& found, double probability) const {
    std::vector<ChangePoint> result;
    for (std::size_t r = 1; r < found.best_way.size(); ++r) {
        const std::size_t place = found.best_way[r].begin;
        double here = 0.0;
        for (const Regime& regime : found.regimes) here += regime.begin == place ? regime.probability : 0.0;
        result.push_back({.after = points_[place - 1],
                          .before = points_[place],
                          .probability = rounded(std::min(here, 1.0) * probability)});
    }
    return result;
}

/// Whether the forms with laws, if there are none in the search, have more evidence.
bool RegimeSearch::is_law_better(const NoiseEvidence& noise, Positive positive, double log_evidence) {
    if (laws_ == PosteriorSearch::Laws::with) return false;
    if (with_laws_ == nullptr)
        with_laws_ = std::make_unique<PosteriorSearch>(points_, 1, PosteriorSearch::Laws::with, middle_);
    const Posterior with_laws = with_laws_->fit(noise_of_regime(noise, order_, 1.0), positive);
    const Function best = with_laws.forms.function(0);
    const bool is_law = std::any_of(best.terms.begin(), best.terms.end(),
                                    [](const Term& term) { return has_law(term.factors); });
    return is_law && with_laws_->log_evidence() > log_evidence;
}

bool RegimeSearch::examine(const NoiseEvidence& noise, Positive positive, const PosteriorSearch& whole,
                           Posterior& posterior) {
    const bool is_possible =
        points_.size() >= 2 * fewest_regime_points && !posterior.may_be_negative &&
        std::all_of(noise.values.begin(), noise.values.end(), [](double value) { return value > 0.0; });
    if (!is_possible) return false;
    const double rss = rss_of(noise, whole);
    if (is_explained(noise, rss)) return false;
    if (change_points_ == nullptr) change_points_ = std::make_unique<ChangePointSearch>(points_);
    std::vector<double> values;
    std::vector<double> weights;
    for (const std::size_t i : order_) {
        values.push_back(noise.values[i]);
        weights.push_back(whole.weights()[i]);
    }
    ChangePoints found = change_points_->find(values, weights, noise.priors, rss);
    if (change_points_->is_coarse() && found.best_way.size() > 1) {
        ChangePointSearch fine(points_, found.best_way, change_points_->stride());
        found = fine.find(values, weights, noise.priors, rss);
    }
    const double probability = 1.0 / (1.0 + std::exp(whole.log_evidence() - found.log_evidence));
    if (!(probability >= negligible)) return false;
    if (probability > worth_telling && is_law_better(noise, positive, found.log_evidence)) return true;

    std::vector<WeighedForm> forms;
    double beyond = 0.0;  // probability of the last regimes that are kept
    for (const Regime& regime : regimes_worth_modelling(found, probability)) {
        const Posterior of_regime = posterior_of(regime, noise, found.variance, positive);
        const std::size_t kept =
            std::min(most_forms(regime.probability * probability), of_regime.forms.size());
        double mass = 0.0;
        for (std::size_t i = 0; i < kept; ++i) mass += of_regime.forms.probability(i);
        for (std::size_t i = 0; i < kept; ++i) {
            forms.push_back(of_regime.forms[i]);
            forms.back().range = range_of(regime);
            forms.back().probability *= regime.probability / mass;
        }
        if (regime.end < points_.size()) continue;
        beyond += regime.probability;
        if (!contains(found.best_way, regime) || probability <= 0.5) continue;
        posterior.discrepancy = of_regime.discrepancy;
        posterior.largest = of_regime.largest;
        posterior.step = of_regime.step;
        posterior.misfit = {};
    }
    // What goes on beyond the last point has a probability of one, whatever was too improbable to be
    // modelled.
    for (WeighedForm& form : forms) form.probability *= probability / beyond;
    if (1.0 - probability >= negligible_form) {
        for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
            forms.push_back(posterior.forms[i]);
            forms.back().probability *= 1.0 - probability;
        }
    }
    std::stable_sort(forms.begin(), forms.end(), [](const WeighedForm& a, const WeighedForm& b) {
        return a.probability > b.probability;
    });
    posterior.forms = {};
    for (WeighedForm& form : forms) {
        form.probability = std::min(rounded(form.probability), 1.0);
        posterior.forms.add(form);
    }
    posterior.forms.shrink();
    if (probability > clear) posterior.changes = changes(found, probability);
    return false;
}

}  // namespace plimsoll::model::detail
