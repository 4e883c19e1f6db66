#include "plimsoll/model/detail/posterior/posterior_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/rounding.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

// Variance, relative, below which sums of products cannot tell forms apart.
constexpr double screening_floor = 2e-6;
constexpr std::size_t most_refitted = 300;
constexpr std::size_t most_reported = 70;
constexpr double enough_probability = 0.998;
constexpr std::size_t most_averaged = 100;  // forms that make the weights of the second pass
constexpr std::size_t rough_refitted = 40;  // as above, for a rough prediction
constexpr std::size_t rough_averaged = 12;
constexpr double negligible = 10.0;            // log evidence behind the best that changes nothing
constexpr double reweighting_slack = 5.0;      // by which ratings change with the weights
constexpr double most_gain_of_constant = 7.5;  // of the prior of a small constant, which ratings leave out
// Prior probability of exponents off the list, beside all forms on it.
constexpr double free_share = 0.2;
// Exponents off the list lie anywhere in a range as wide as the list's; logarithms have three powers.
constexpr double exponent_range = 3.1;
constexpr double logarithm_powers = 3.0;
constexpr double smallest_exponent = -2.5;
constexpr double largest_exponent = 3.2;
constexpr double hopeless = 25.0;  // log evidence behind the best after a first step towards free exponents
constexpr double fall_deviations = 3.0;
// Log evidence by which a function's lines must be worse than the best one's, for it to be left out.
constexpr double ruled_out = 20.0;
constexpr double most_combinations = 4500.0;  // of one function of each parameter

std::size_t packed(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Most functions of each parameter in forms of three products of them, of which there are very many.
std::size_t most_leading(std::size_t parameters) { return parameters == 2 ? 10 : parameters == 3 ? 4 : 2; }

/// Nine digits: the posterior is most of a document, its numbers are less certain than that, and what is
/// predicted from a document should be what was predicted before it was written.
double rounded(double value) { return numeric::round_to_digits(value, 9); }

/// A number with six decimals as a fraction.
Rational as_fraction(double value) {
    return Rational(static_cast<std::int64_t>(std::llround(value * 1e6)), 1000000);
}

}  // namespace

PosteriorSearch::PosteriorSearch(std::span<const double> points, std::size_t parameters, Laws laws)
    : points_(points.begin(), points.end()), parameters_(parameters) {
    const std::size_t n = points.size() / parameters;
    std::vector<double> coordinates(n);
    tables_.reserve(parameters);
    for (std::size_t axis = 0; axis < parameters; ++axis) {
        for (std::size_t i = 0; i < n; ++i) coordinates[i] = points_[i * parameters + axis];
        tables_.emplace_back(coordinates, axis);
        std::vector<double> logs(n);
        for (std::size_t i = 0; i < n; ++i) {
            logs[i] = coordinates[i] > 0.0 ? std::log(coordinates[i] / tables_.back().middle()) : 0.0;
        }
        log_points_.push_back(std::move(logs));
    }
    for (const AxisTable& table : tables_) lines_.emplace_back(points_, parameters, table);
    if (laws == Laws::with && parameters == 1) laws_.emplace(points_, tables_.front().middle());
}

/// The functions of a parameter that its lines do not rule out, best first.
std::vector<FunctionId> PosteriorSearch::functions_in_question(std::size_t axis, bool may_fall,
                                                               const NoiseEvidence& noise) const {
    const FunctionId end =
        may_fall ? static_cast<FunctionId>(axis_functions().size()) : falling_functions().front();
    std::vector<FunctionId> functions;
    if (lines_[axis].empty()) {
        for (const FunctionId f : common_functions()) {
            if (tables_[axis].is_usable(f)) functions.push_back(f);
        }
        return functions;
    }
    std::vector<std::pair<double, FunctionId>> scores;
    for (FunctionId f = 0; f < end; ++f) {
        if (tables_[axis].is_usable(f)) scores.emplace_back(lines_[axis].rss(f, noise.values, weights_), f);
    }
    std::sort(scores.begin(), scores.end());
    const auto n = static_cast<double>(noise.values.size());
    for (const auto& [rss, f] : scores) {
        const double least = scores.front().first;
        const bool is_ruled_out =
            std::all_of(noise.priors.begin(), noise.priors.end(), [&, sum = rss](auto& p) {
                const double from_prior = p.degrees_of_freedom * std::max(p.variance, screening_floor);
                return 0.5 * (p.degrees_of_freedom + n) *
                           std::log((from_prior + sum) / (from_prior + least)) >
                       ruled_out;
            });
        if (!is_ruled_out) functions.push_back(f);
    }
    return functions;
}

const std::vector<FormFamily>& PosteriorSearch::choose_families(const NoiseEvidence& noise) {
    if (parameters_ == 1) {
        if (families_.empty()) families_ = families_of_one(tables_.front());
        return families_;
    }
    double variance = std::isnan(noise.run_deviation) ? 4e-4 : 0.0;
    if (variance == 0.0) {
        for (const NoisePrior& prior : noise.priors) variance = std::max(variance, prior.variance);
    }
    std::vector<bool> falls;
    std::vector<std::vector<FunctionId>> kept;
    std::vector<std::vector<FunctionId>> leading;
    double combinations = 1.0;
    for (std::size_t axis = 0; axis < parameters_; ++axis) {
        falls.push_back(lines_[axis].falls(noise.values, variance, fall_deviations));
        kept.push_back(functions_in_question(axis, falls.back(), noise));
        leading.push_back(kept.back());
        leading.back().resize(std::min(leading.back().size(), most_leading(parameters_)));
        combinations *= static_cast<double>(std::max<std::size_t>(kept.back().size(), 1));
    }
    while (combinations > most_combinations) {
        auto& longest = *std::max_element(kept.begin(), kept.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
        const auto size = static_cast<double>(longest.size());
        combinations *= (size - 1.0) / size;
        longest.pop_back();
    }
    families_ = form_families(tables_, kept, leading, falls);
    return families_;
}

MomentTree& PosteriorSearch::tree_of(const FormFamily& family) {
    std::vector<std::size_t> axes;
    for (const Slot& slot : family.slots) axes.push_back(slot.table->axis());
    const auto found = trees_.find(axes);
    if (found != trees_.end()) return found->second;
    return trees_.emplace(axes, MomentTree(points_, parameters_, axes)).first->second;
}

void PosteriorSearch::weigh(std::span<const double> sizes, const NoiseEvidence& noise) {
    weights_.resize(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) weights_[i] = noise.runs[i] / (sizes[i] * sizes[i]);
    evidence_.set_weights(weights_);
}

/// The columns of a form: its coefficients' and then its free exponents'.
void PosteriorSearch::fill_columns(const Contender& contender) {
    if (contender.law) {
        columns_.resize(most_unknowns * evidence_.points());
        laws_->fill_columns(*contender.law, columns_);
        return;
    }
    const FormFamily& family = (*current_)[contender.form.family];
    const Structure& structure = family.structures[contender.form.structure];
    const std::size_t n = evidence_.points();
    columns_.resize(most_unknowns * n);
    for (std::size_t c = 0; c < structure.columns.size(); ++c) {
        double* column = columns_.data() + c * n;
        const Column& what = structure.columns[c];
        std::fill(column, column + n, what.is_taken_off ? -1.0 : 1.0);
        for (std::size_t s = 0; s < family.slots.size(); ++s) {
            if ((what.slots >> s & 1U) == 0) continue;
            const Slot& slot = family.slots[s];
            const std::span<const double> values =
                slot.table->column(slot.functions[contender.form.choice[s]]);
            for (std::size_t i = 0; i < n; ++i) column[i] *= values[i];
            if (contender.shift[s] == 0.0) continue;
            const std::vector<double>& logs = log_points_[slot.table->axis()];
            for (std::size_t i = 0; i < n; ++i) column[i] *= std::exp(contender.shift[s] * logs[i]);
        }
    }
}

bool PosteriorSearch::refit(Contender& contender) {
    const FormFamily& family = (*current_)[contender.form.family];
    const Structure& structure = family.structures[contender.form.structure];
    const std::size_t k = structure.columns.size();
    const std::size_t n = evidence_.points();
    if (k >= n) return false;
    fill_columns(contender);
    for (std::size_t c = 0; c < k; ++c) column_pointers_[c] = columns_.data() + c * n;
    if (!evidence_.fit(std::span(column_pointers_.data(), k),
                       {.has_constant = structure.has_constant(), .coefficients = k}, contender.fit)) {
        return false;
    }
    contender.log_evidence = contender.fit.log_evidence + structure.log_mass;
    for (std::size_t s = 0; s < family.slots.size(); ++s) {
        if ((structure.slots() >> s & 1U) == 0) continue;
        contender.log_evidence += family.slots[s].log_prior[contender.form.choice[s]];
        for (std::size_t other = 0; other < s; ++other) {
            const bool is_same = (structure.slots() >> other & 1U) != 0 &&
                                 family.slots[other].table == family.slots[s].table &&
                                 family.slots[other].functions == family.slots[s].functions;
            if (is_same) contender.log_evidence += std::log(2.0);  // either order is the same form
        }
    }
    return true;
}

/// Fits the candidates that may count, best first. `slack` is how much the rating of a candidate may be off.
void PosteriorSearch::refit_best(std::span<const Candidate> candidates, std::size_t most, double slack) {
    contenders_.clear();
    best_evidence_ = -std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates.first(std::min(most, candidates.size()))) {
        const Structure& structure = (*current_)[candidate.family].structures[candidate.structure];
        const bool may_gain = structure.has_constant() && structure.columns.size() > 1;
        const double at_most = candidate.log_evidence + slack + (may_gain ? most_gain_of_constant : 1.0);
        if (at_most < best_evidence_ - negligible) continue;
        Contender& contender = contenders_.emplace_back();
        contender.form = candidate;
        if (!refit(contender)) {
            contenders_.pop_back();
            continue;
        }
        best_evidence_ = std::max(best_evidence_, contender.log_evidence);
    }
}

void PosteriorSearch::average_fit() {
    const std::size_t n = evidence_.points();
    fitted_.assign(n, 0.0);
    double total = 0.0;
    for (const Contender& contender : contenders_) {
        const double weight = std::exp(contender.log_evidence - best_evidence_);
        if (weight < 1e-3) continue;
        total += weight;
        fill_columns(contender);
        const std::size_t terms =
            contender.law ? laws_->coefficients(*contender.law) : contender.fit.unknowns;
        for (std::size_t c = 0; c < terms; ++c) {
            const double coefficient = weight * contender.fit.coefficients[c];
            const double* column = columns_.data() + c * n;
            for (std::size_t i = 0; i < n; ++i) fitted_[i] += coefficient * column[i];
        }
    }
    for (double& value : fitted_) value /= total;
}

/// The laws, if any are asked for, beside the other contenders.
void PosteriorSearch::add_laws() {
    if (!laws_) return;
    laws_->fit(evidence_);
    for (std::size_t i = 0; i < laws_->size(); ++i) {
        Contender& contender = contenders_.emplace_back();
        contender.law = i;
        contender.fit = laws_->linear_fit(i);
        contender.log_evidence = laws_->log_evidence(i);
        best_evidence_ = std::max(best_evidence_, contender.log_evidence);
    }
}

/// Moves the exponents of a form to where they fit best, by Gauss-Newton steps, and takes its evidence there.
bool PosteriorSearch::refine(Contender& contender, double least_evidence) {
    const FormFamily& family = (*current_)[contender.form.family];
    const Structure& structure = family.structures[contender.form.structure];
    const std::size_t k = structure.columns.size();
    const std::size_t n = evidence_.points();
    std::array<std::size_t, most_slots> free{};
    std::size_t count = 0;
    for (std::size_t s = 0; s < family.slots.size(); ++s) {
        if ((structure.slots() >> s & 1U) != 0) free[count++] = s;
    }
    if (count == 0 || k + count >= n || k + count > most_unknowns) return false;
    contender.has_free_exponents = true;
    constexpr int steps = 4;
    for (int step = 0; step < steps; ++step) {
        fill_columns(contender);
        for (std::size_t c = 0; c < k + count; ++c) column_pointers_[c] = columns_.data() + c * n;
        for (std::size_t f = 0; f < count; ++f) {
            double* column = columns_.data() + (k + f) * n;
            std::fill(column, column + n, 0.0);
            for (std::size_t c = 0; c < k; ++c) {
                if ((structure.columns[c].slots >> free[f] & 1U) == 0) continue;
                const double coefficient = contender.fit.coefficients[c];
                const double* of_term = columns_.data() + c * n;
                for (std::size_t i = 0; i < n; ++i) column[i] += coefficient * of_term[i];
            }
            const std::vector<double>& logs = log_points_[family.slots[free[f]].table->axis()];
            for (std::size_t i = 0; i < n; ++i) column[i] *= logs[i];
        }
        LinearFit fit;
        if (!evidence_.fit(std::span(column_pointers_.data(), k + count),
                           {.has_constant = structure.has_constant(), .coefficients = k}, fit)) {
            return false;
        }
        contender.fit = fit;
        if (fit.log_evidence + structure.log_mass < least_evidence) return false;
        if (step + 1 == steps) break;
        for (std::size_t f = 0; f < count; ++f) {
            const Slot& slot = family.slots[free[f]];
            const double listed =
                axis_functions()[slot.functions[contender.form.choice[free[f]]]].exponent.value();
            double& shift = contender.shift[free[f]];
            shift += std::clamp(fit.coefficients[k + f], -0.5, 0.5);
            shift = std::clamp(shift, smallest_exponent - listed, largest_exponent - listed);
        }
    }
    contender.log_evidence = contender.fit.log_evidence + structure.log_mass +
                             std::log(free_share / (1.0 - free_share)) -
                             static_cast<double>(count) * std::log(exponent_range * logarithm_powers);
    return std::isfinite(contender.log_evidence);
}

/// The best form of each structure and powers of logarithms, with its exponents set free.
void PosteriorSearch::add_free_exponents() {
    for (const Candidate& candidate : screening_.best_of_each_kind()) {
        if (candidate.log_evidence < 0.0) continue;  // no form of this kind is sound
        Contender& refined = contenders_.emplace_back();
        refined.form = candidate;
        if (!refit(refined) || !refine(refined, best_evidence_ - hopeless)) contenders_.pop_back();
    }
}

WeighedForm PosteriorSearch::weighed_form(const Contender& contender) {
    if (contender.law) return laws_->weighed_form(*contender.law);
    const FormFamily& family = (*current_)[contender.form.family];
    const Structure& structure = family.structures[contender.form.structure];
    const std::size_t k = structure.columns.size();
    const std::size_t unknowns = contender.fit.unknowns;
    WeighedForm form;
    form.has_constant = structure.has_constant();
    form.degrees_of_freedom = rounded(contender.fit.degrees_of_freedom);
    std::array<double, most_unknowns> unit{};  // of each unknown in terms of the function's coefficients
    unit.fill(1.0);
    for (std::size_t c = 0; c < k; ++c) {
        const Column& column = structure.columns[c];
        if (column.is_constant()) {
            form.function.constant = contender.fit.coefficients[c];
            continue;
        }
        Term term;
        unit[c] = column.is_taken_off ? -1.0 : 1.0;
        for (std::size_t s = 0; s < family.slots.size(); ++s) {
            if ((column.slots >> s & 1U) == 0) continue;
            const Slot& slot = family.slots[s];
            const FunctionId f = slot.functions[contender.form.choice[s]];
            Factor factor{.parameter = slot.table->axis(),
                          .exponent = axis_functions()[f].exponent,
                          .log_exponent = axis_functions()[f].log_exponent,
                          .segments = {}};
            unit[c] /= slot.table->scale(f);
            if (contender.shift[s] != 0.0) {
                const double before = factor.exponent.value();
                factor.exponent = as_fraction(before + contender.shift[s]);
                const double shift = factor.exponent.value() - before;
                unit[c] /= std::exp(shift * std::log(slot.table->middle()));
            }
            term.factors.push_back(std::move(factor));
        }
        term.coefficient = contender.fit.coefficients[c] * unit[c];
        form.function.terms.push_back(std::move(term));
    }
    if (contender.has_free_exponents) {
        for (std::size_t s = 0; s < family.slots.size(); ++s) {
            if ((structure.slots() >> s & 1U) != 0) {
                form.free_parameters.push_back(family.slots[s].table->axis());
            }
        }
    }
    form.covariance.resize(unknowns * (unknowns + 1) / 2);
    for (std::size_t i = 0; i < unknowns; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            form.covariance[packed(i, j)] =
                rounded(contender.fit.covariance[packed(i, j)] * unit[i] * unit[j]);
        }
    }
    return form;
}

Posterior PosteriorSearch::posterior_of() {
    Posterior posterior;
    for (const AxisTable& table : tables_) posterior.middle.push_back(rounded(table.middle()));
    std::vector<std::size_t> order(contenders_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return contenders_[a].log_evidence > contenders_[b].log_evidence;
    });
    const double best = contenders_[order.front()].log_evidence;
    double total = 0.0;
    for (const std::size_t i : order) total += std::exp(contenders_[i].log_evidence - best);
    double sum = 0.0;
    std::vector<WeighedForm> forms;
    for (const std::size_t i : order) {
        const double probability = std::exp(contenders_[i].log_evidence - best) / total;
        const bool is_enough = sum > enough_probability || forms.size() == most_reported;
        if (is_enough || !(probability > 0.0)) break;
        forms.push_back(weighed_form(contenders_[i]));
        forms.back().probability = probability;
        sum += probability;
    }
    for (WeighedForm& form : forms) {
        form.probability = rounded(form.probability / sum);
        posterior.forms.add(form);
    }
    posterior.forms.shrink();
    return posterior;
}

/// The mean of the values, as uncertain as one of them, for values that leave no choice.
Posterior PosteriorSearch::constant_of(const NoiseEvidence& noise) const {
    const double mean = numeric::mean(noise.values);
    double variance = 0.0;
    double freedom = 2.0;
    for (const NoisePrior& prior : noise.priors) {
        variance += std::exp(prior.log_weight) * prior.variance * mean * mean;
        freedom = std::max(freedom, prior.degrees_of_freedom);
    }
    Posterior posterior;
    WeighedForm form{.probability = 1.0,
                     .function = {},
                     .has_constant = true,
                     .degrees_of_freedom = rounded(freedom),
                     .free_parameters = {},
                     .covariance = {rounded(variance)}};
    form.function.constant = mean;
    posterior.forms.add(form);
    for (const AxisTable& table : tables_) posterior.middle.push_back(rounded(table.middle()));
    posterior.run_deviation = rounded(noise.run_deviation);
    posterior.may_be_negative = mean < 0.0;
    return posterior;
}

Posterior PosteriorSearch::fit(const NoiseEvidence& noise, Effort effort) {
    const std::vector<double>& values = noise.values;
    const std::size_t n = values.size();
    sizes_.resize(n);
    bool may_be_negative = false;
    double smallest = std::numeric_limits<double>::infinity();
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        may_be_negative = may_be_negative || values[i] < 0.0;
        if (values[i] != 0.0) smallest = std::min(smallest, std::abs(values[i]));
        squares += values[i] * values[i];
    }
    if (squares == 0.0) return constant_of(noise);
    for (std::size_t i = 0; i < n; ++i) {
        sizes_[i] =
            may_be_negative ? std::sqrt(squares / static_cast<double>(n)) : std::max(values[i], smallest);
    }
    evidence_.set_values(values, sizes_, noise.priors, may_be_negative);
    weigh(sizes_, noise);
    current_ = &choose_families(noise);

    const bool is_rough = effort == Effort::rough;
    evidence_.set_variance_floor(screening_floor);
    screening_.clear();
    for (std::size_t f = 0; f < current_->size(); ++f) {
        const FormFamily& family = (*current_)[f];
        if (is_rough && family.slots.size() > 2) continue;  // most forms, with 2 % of the prior
        MomentTree& tree = tree_of(family);
        tree.choose(family.slots);
        screening_.rate(f, family, tree, evidence_, values, weights_, sizes_);
    }
    const std::vector<Candidate>& candidates = screening_.best(is_rough ? rough_refitted : most_refitted);

    evidence_.set_variance_floor(0.0);
    refit_best(candidates, is_rough ? rough_averaged : most_averaged, 0.0);
    add_laws();
    if (contenders_.empty()) return constant_of(noise);  // a single point has no form but a constant
    if (!may_be_negative) {
        // Weights by noisy values favour the low ones; weights by what fits them do not.
        average_fit();
        for (std::size_t i = 0; i < n; ++i) fitted_[i] = std::max(fitted_[i], 0.2 * sizes_[i]);
        weigh(fitted_, noise);
    }
    refit_best(candidates, most_refitted, reweighting_slack);
    add_laws();
    PLIMSOLL_EXPECT(!contenders_.empty());
    add_free_exponents();
    Posterior posterior = posterior_of();
    if (!may_be_negative && !std::isnan(noise.run_deviation) && !is_rough) {
        average_fit();
        posterior.misfit = find_misfit(points_, parameters_, values, fitted_, noise.priors.front().variance);
    }
    posterior.may_be_negative = may_be_negative;
    posterior.run_deviation = rounded(noise.run_deviation);
    return posterior;
}

}  // namespace plimsoll::model::detail
