#include "plimsoll/model/detail/posterior/posterior_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr std::size_t most_refitted = 300;
constexpr std::size_t most_reported_usually = 70;
constexpr std::size_t most_reported_of_two = 150;  // with much noise, hundreds of forms are alike likely
constexpr double enough_probability = 0.998;
constexpr std::size_t most_averaged = 70;   // forms that make the weights of the second pass
constexpr std::size_t rough_refitted = 40;  // as above, for a rough prediction
constexpr std::size_t rough_averaged = 12;
constexpr double negligible = 8.0;  // log evidence behind the best that changes nothing
constexpr double negligible_in_average = 5.0;
constexpr double most_slack = 1.0;  // by which weights may change ratings that are kept
// Exponents off the list lie anywhere in a range as wide as the list's.
constexpr double exponent_range = 3.1;
/// What is thought of an exponent before any value is seen.
struct ExponentPrior {
    double listed = 0.0;                 ///< probability that it is on the list
    std::array<double, 3> logarithms{};  ///< of each power of logarithms beside it, where it is not
};
// Two parameters have all pairs of listed functions, which lie so close that more for others widens intervals
// alone. Of more, few functions are combined, and free exponents stand for the rest.
constexpr ExponentPrior of_two{.listed = 0.975, .logarithms = {0.9, 0.05, 0.05}};
constexpr ExponentPrior of_other_numbers{.listed = 0.8, .logarithms = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
constexpr double smallest_exponent = -2.5;
constexpr double largest_exponent = 3.2;
constexpr double hopeless = 25.0;  // log evidence behind the best after a first step towards free exponents
// Later steps that gain little come to nothing from further behind than counts. With one parameter, some come
// from far in many small steps, and they are cheap.
constexpr double times_last_gain = 3.0;

std::size_t most_reported(std::size_t parameters) {
    return parameters == 2 ? most_reported_of_two : most_reported_usually;
}

/// ln of the prior density of exponents off the list that have these powers of logarithms beside them, beside
/// those on the list.
double log_prior_of_free(std::span<const std::size_t> powers, std::size_t parameters) {
    const ExponentPrior& prior = parameters == 2 ? of_two : of_other_numbers;
    const double all_listed = std::pow(prior.listed, static_cast<double>(powers.size()));
    double density = (1.0 - all_listed) / all_listed;
    for (const std::size_t power : powers) density *= prior.logarithms[power] / exponent_range;
    return std::log(density);
}

/// The largest few of many numbers.
class Leading {
  public:
    explicit Leading(std::size_t count) : count_(count) { numbers_.reserve(count + 1); }

    void add(double number) {
        numbers_.push_back(number);
        std::push_heap(numbers_.begin(), numbers_.end(), std::greater<>());
        if (numbers_.size() <= count_) return;
        std::pop_heap(numbers_.begin(), numbers_.end(), std::greater<>());
        numbers_.pop_back();
    }
    /// The least of them, once there are as many.
    [[nodiscard]] double least() const {
        return numbers_.size() < count_ ? -std::numeric_limits<double>::infinity() : numbers_.front();
    }

  private:
    std::size_t count_;
    std::vector<double> numbers_;
};

}  // namespace

PosteriorSearch::PosteriorSearch(std::span<const double> points, std::size_t parameters, Laws laws,
                                 std::optional<double> middle)
    : points_(points.begin(), points.end()), parameters_(parameters), choice_(points, parameters, middle) {
    for (const AxisTable& table : choice_.tables()) {
        LogPoints& logs = log_points_.emplace_back();
        std::map<double, std::size_t> positions;
        for (std::size_t i = table.axis(); i < points_.size(); i += parameters_) {
            const double x = points_[i];
            const auto [found, is_new] = positions.try_emplace(x, positions.size());
            if (is_new) logs.distinct.push_back(x > 0.0 ? std::log(x / table.middle()) : 0.0);
            logs.position.push_back(found->second);
        }
    }
    if (laws == Laws::with && parameters == 1) laws_.emplace(points_, choice_.tables().front().middle());
}

const FormFamily& PosteriorSearch::family_of(const Contender& contender) const {
    return choice_.families()[contender.form.family];
}

const Structure& PosteriorSearch::structure_of(const Contender& contender) const {
    return family_of(contender).structures[contender.form.structure];
}

/// Whether a free exponent has come to where its function is a constant.
bool PosteriorSearch::has_exponent_of_zero(const Contender& contender) const {
    constexpr double least = 0.01;
    const FormFamily& family = family_of(contender);
    for (std::size_t s = 0; s < family.slots.size(); ++s) {
        if ((structure_of(contender).slots() >> s & 1U) == 0) continue;
        const AxisFunction& f = axis_functions()[family.slots[s].functions[contender.form.choice[s]]];
        const bool has_logarithm = f.log_exponent.numerator() != 0;
        if (!has_logarithm && std::abs(f.exponent.value() + contender.shift[s]) < least) return true;
    }
    return false;
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

/// The columns of a form's coefficients.
void PosteriorSearch::fill_columns(const Contender& contender) {
    if (contender.law) {
        columns_.resize(most_unknowns * evidence_.points());
        laws_->fill_columns(*contender.law, columns_);
        return;
    }
    const FormFamily& family = family_of(contender);
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
            const LogPoints& logs = log_points_[slot.table->axis()];
            powers_.clear();
            for (const double log : logs.distinct) powers_.push_back(std::exp(contender.shift[s] * log));
            for (std::size_t i = 0; i < n; ++i) column[i] *= powers_[logs.position[i]];
        }
    }
}

bool PosteriorSearch::refit(Contender& contender) {
    const FormFamily& family = family_of(contender);
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
    contender.log_evidence = contender.fit.log_evidence + contender.form.log_prior;
    return true;
}

/// Fits the candidates that may count, best first. `slack` is how far above its rating one may be, `behind`
/// how far behind the best it still counts.
void PosteriorSearch::refit_best(std::span<const Candidate> candidates, std::size_t most, double slack,
                                 double behind) {
    contenders_.clear();
    // With less noise than sums of products can tell, ratings compare with ratings alone.
    const bool is_coarse = evidence_.least_variance() < screening_floor;
    best_evidence_ = -std::numeric_limits<double>::infinity();
    Leading leading(most_reported(choice_.varying()));
    for (const Candidate& candidate : candidates.first(std::min(most, candidates.size()))) {
        const double at_most = candidate.log_evidence + slack;
        const double best = is_coarse ? candidates.front().log_evidence : best_evidence_;
        if (at_most < best - behind || (!is_coarse && at_most < leading.least())) break;
        Contender& contender = contenders_.emplace_back();
        contender.form = candidate;
        if (!refit(contender)) {
            contenders_.pop_back();
            continue;
        }
        leading.add(contender.log_evidence);
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
            contender.law ? laws_->coefficients(*contender.law) : structure_of(contender).columns.size();
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

/// Moves the exponents of a form that was fitted last to where they fit best, by Gauss-Newton steps, and
/// takes its evidence there.
bool PosteriorSearch::refine(Contender& contender, double least_evidence) {
    const FormFamily& family = family_of(contender);
    const Structure& structure = family.structures[contender.form.structure];
    const std::size_t k = structure.columns.size();
    const std::size_t n = evidence_.points();
    std::array<std::size_t, most_slots> free{};
    std::array<std::size_t, most_slots> powers{};
    std::size_t count = 0;
    for (std::size_t s = 0; s < family.slots.size(); ++s) {
        if ((structure.slots() >> s & 1U) == 0) continue;
        const AxisFunction& f = axis_functions()[family.slots[s].functions[contender.form.choice[s]]];
        powers[count] = static_cast<std::size_t>(f.log_exponent.numerator());
        free[count++] = s;
    }
    if (count == 0 || k + count >= n || k + count > most_unknowns) return false;
    const double log_prior =
        structure.log_mass + log_prior_of_free(std::span(powers).first(count), choice_.varying());
    contender.has_free_exponents = true;
    bool is_settled = false;
    constexpr int most_steps = 12;
    // A move that is small beside what the exponent's own deviation is, or rounding.
    constexpr double part_of_deviation = 0.05;
    constexpr double rounding = 1e-7;
    for (int step = 0; step < most_steps; ++step) {
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
            const LogPoints& logs = log_points_[family.slots[free[f]].table->axis()];
            for (std::size_t i = 0; i < n; ++i) column[i] *= logs.distinct[logs.position[i]];
        }
        LinearFit fit;
        // The first step's columns are those of the form that was just fitted, and more.
        const std::size_t known = step == 0 ? k : 0;
        if (!evidence_.fit(std::span(column_pointers_.data(), k + count),
                           {.has_constant = structure.has_constant(), .coefficients = k}, fit, known)) {
            return false;
        }
        const double gain = fit.log_evidence - contender.fit.log_evidence;
        contender.fit = fit;
        if (fit.log_evidence + structure.log_mass < best_evidence_ - hopeless) return false;
        if (step > 0 && choice_.varying() > 1 &&
            fit.log_evidence + log_prior + times_last_gain * std::max(gain, 0.0) < least_evidence) {
            return false;
        }
        is_settled = true;
        for (std::size_t f = 0; f < count; ++f) {
            const double deviation = std::sqrt(fit.covariance[packed(k + f, k + f)]);
            const double small = std::max(part_of_deviation * deviation, rounding);
            is_settled = is_settled && std::abs(fit.coefficients[k + f]) <= small;
        }
        if (is_settled) break;
        for (std::size_t f = 0; f < count; ++f) {
            const Slot& slot = family.slots[free[f]];
            const double listed =
                axis_functions()[slot.functions[contender.form.choice[free[f]]]].exponent.value();
            double& shift = contender.shift[free[f]];
            shift += std::clamp(fit.coefficients[k + f], -0.5, 0.5);
            shift = std::clamp(shift, smallest_exponent - listed, largest_exponent - listed);
            if (listed + shift <= 0.0 && slot.table->smallest() <= 0.0) return false;  // no power of 0
        }
    }
    if (!is_settled || has_exponent_of_zero(contender)) return false;
    contender.log_evidence = contender.fit.log_evidence + log_prior;
    return std::isfinite(contender.log_evidence);
}

/// The best form of each structure and powers of logarithms, with its exponents set free.
void PosteriorSearch::add_free_exponents() {
    double best = best_evidence_;
    for (const Candidate& candidate : screening_.best_of_each_kind()) {
        if (candidate.log_evidence < 0.0) continue;  // no form of this kind is sound
        Contender& refined = contenders_.emplace_back();
        refined.form = candidate;
        if (refit(refined) && refine(refined, best - negligible)) {
            best = std::max(best, refined.log_evidence);
        } else {
            contenders_.pop_back();
        }
    }
    best_evidence_ = best;
}

/// Rates the shortlist by the present weights.
void PosteriorSearch::rate_again(std::span<const double> values) {
    evidence_.set_variance_floor(screening_floor);
    screening_.rate_again(
        shortlist_, choice_.families(),
        [this](const FormFamily& family) -> MomentTree& { return tree_of(family); }, evidence_, values,
        weights_, sizes_);
    evidence_.set_variance_floor(0.0);
}

Posterior PosteriorSearch::posterior_of() {
    Posterior posterior;
    for (const AxisTable& table : tables()) posterior.middle.push_back(rounded(table.middle()));
    std::vector<std::size_t> order(contenders_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return contenders_[a].log_evidence > contenders_[b].log_evidence;
    });
    const double best = contenders_[order.front()].log_evidence;
    double total = 0.0;
    for (const std::size_t i : order) total += std::exp(contenders_[i].log_evidence - best);
    log_evidence_ = best + std::log(total);
    double sum = 0.0;
    std::vector<WeighedForm> forms;
    for (const std::size_t i : order) {
        const double probability = std::exp(contenders_[i].log_evidence - best) / total;
        const bool is_enough = sum > enough_probability || forms.size() == most_reported(choice_.varying());
        if (is_enough || !(probability > 0.0)) break;
        const Contender& contender = contenders_[i];
        forms.push_back(contender.law ? laws_->weighed_form(*contender.law)
                                      : weighed_form(family_of(contender), contender));
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

Posterior PosteriorSearch::constant_of(const NoiseEvidence& noise, Positive positive) const {
    Posterior posterior;
    posterior.forms.add(constant_form(noise));
    for (const AxisTable& table : tables()) posterior.middle.push_back(rounded(table.middle()));
    posterior.run_deviation = rounded(noise.run_deviation);
    posterior.may_be_negative = posterior.forms.function(0).constant < 0.0 || positive == Positive::no;
    return posterior;
}

Posterior PosteriorSearch::fit(const NoiseEvidence& noise, Positive positive, Effort effort) {
    const std::vector<double>& values = noise.values;
    const std::size_t n = values.size();
    sizes_.resize(n);
    bool has_negative = false;
    double smallest = std::numeric_limits<double>::infinity();
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        has_negative = has_negative || values[i] < 0.0;
        if (values[i] != 0.0) smallest = std::min(smallest, std::abs(values[i]));
        squares += values[i] * values[i];
    }
    if (squares == 0.0) return constant_of(noise, positive);
    const bool may_be_negative = has_negative || positive == Positive::no;
    for (std::size_t i = 0; i < n; ++i) {
        sizes_[i] =
            has_negative ? std::sqrt(squares / static_cast<double>(n)) : std::max(values[i], smallest);
    }
    evidence_.set_values(values, sizes_, noise.priors, may_be_negative);
    weigh(sizes_, noise);
    const std::vector<FormFamily>& families = choice_.choose(noise, weights_);

    const bool is_rough = effort == Effort::rough;
    evidence_.set_variance_floor(screening_floor);
    screening_.clear();
    for (std::size_t f = 0; f < families.size(); ++f) {
        const FormFamily& family = families[f];
        // Of one and two parameters those with more functions are most forms, with 2 % of the prior.
        if (is_rough && family.slots.size() > std::max<std::size_t>(2, choice_.varying())) continue;
        screening_.rate(f, family, tree_of(family), evidence_, values, weights_, sizes_);
    }
    shortlist_ = screening_.best(is_rough ? rough_refitted : most_refitted);

    evidence_.set_variance_floor(0.0);
    refit_best(shortlist_, is_rough ? rough_averaged : most_averaged, evidence_.most_above_rating(),
               negligible_in_average);
    add_laws();
    if (contenders_.empty())
        return constant_of(noise, positive);  // a single point has no form but a constant
    double slack = 0.0;
    if (!has_negative) {
        // Weights by noisy values favour the low ones; weights by what fits them do not.
        average_fit();
        double smallest_change = std::numeric_limits<double>::infinity();
        double largest_change = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            fitted_[i] = std::max(fitted_[i], 0.2 * sizes_[i]);
            const double change = sizes_[i] / fitted_[i];
            smallest_change = std::min(smallest_change, change);
            largest_change = std::max(largest_change, change);
        }
        weigh(fitted_, noise);
        // Sums of squares change by the weights' factors at most, and the evidence by a power of them.
        slack = 2.0 * std::log(largest_change / smallest_change) * evidence_.largest_power();
        if (slack > most_slack) {
            rate_again(values);
            slack = 0.0;
        }
    }
    refit_best(shortlist_, most_refitted, evidence_.most_above_rating() + slack, negligible);
    add_laws();
    PLIMSOLL_EXPECT(!contenders_.empty());
    add_free_exponents();
    Posterior posterior = posterior_of();
    if (!has_negative && !is_rough) {
        average_fit();
        FoundMisfit found = find_misfit(
            points_, parameters_, values, fitted_,
            std::isnan(noise.run_deviation) ? noise.run_deviation : noise.priors.front().variance);
        posterior.misfit = std::move(found.misfit);
        log_evidence_ += found.log_gain;
    }
    posterior.may_be_negative = may_be_negative;
    posterior.run_deviation = rounded(noise.run_deviation);
    return posterior;
}

}  // namespace plimsoll::model::detail
