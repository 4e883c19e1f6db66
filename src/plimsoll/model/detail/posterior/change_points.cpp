#include "plimsoll/model/detail/posterior/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Prior probability of a change anywhere, spread evenly over where it may be; each further one costs as much.
constexpr double some_change = 0.1;
constexpr double mass_of_constant = 0.2;  // prior probabilities of the forms of a regime
constexpr double mass_of_rising = 0.6;    // a third of this without a constant
constexpr double mass_of_falling = 0.15;
constexpr double mass_of_saturating = 0.05;
constexpr double smallest_share = 1e-4;  // of a constant, as in `FormEvidence`
constexpr double dependent = 1e-11;      // part left of a column, squared, after the other is taken out
constexpr double negligible = 8.0;       // log evidence behind the best
const double root_of_two_pi = std::sqrt(2.0 * std::numbers::pi);
constexpr double smallest_variance = 1e-17;  // relative; below it all is rounding
constexpr double largest_variance = 4.0;
constexpr double least_probability = 0.005;  // of a regime worth speaking of

double log_sum(std::span<const double> logs) {
    const double largest = *std::max_element(logs.begin(), logs.end());
    if (!std::isfinite(largest)) return largest;
    double sum = 0.0;
    for (const double log : logs) sum += std::exp(log - largest);
    return largest + std::log(sum);
}

/// Least squares of one column, and of a constant beside it, that takes in one point after another by Givens
/// rotations.
class GrowingFit {
  public:
    void add(double column, double root_weight, double value) {
        double constant = root_weight;
        double rest = root_weight * value;
        rotate(root_weight * column, r11_, r12_, q1_, constant, rest);
        double nothing = 0.0;
        double none = 0.0;
        rotate(constant, r22_, none, q2_, nothing, rest);
        rss_ += rest * rest;
        constants_ += root_weight * root_weight;
    }
    [[nodiscard]] double rss_alone() const { return q2_ * q2_ + rss_; }
    [[nodiscard]] double rss_with_constant() const { return rss_; }
    [[nodiscard]] double length() const { return r11_; }
    [[nodiscard]] double length_of_constant() const { return r22_; }
    [[nodiscard]] bool is_dependent() const { return r22_ * r22_ <= dependent * constants_; }
    [[nodiscard]] double coefficient_alone() const { return q1_ / r11_; }
    [[nodiscard]] double constant() const { return q2_ / r22_; }
    [[nodiscard]] double coefficient() const { return (q1_ - r12_ * constant()) / r11_; }
    /// By how much a constant beside it lengthens the coefficient's deviation.
    [[nodiscard]] double lengthening() const { return std::hypot(1.0, r12_ / r22_); }

  private:
    static void rotate(double entry, double& diagonal, double& above, double& projection, double& next,
                       double& rest) {
        if (entry == 0.0) return;
        const double length = std::sqrt(diagonal * diagonal + entry * entry);  // both near one
        const double c = diagonal / length;
        const double s = entry / length;
        diagonal = length;
        const double other = next;
        next = c * other - s * above;
        above = c * above + s * other;
        const double value = rest;
        rest = c * value - s * projection;
        projection = c * projection + s * value;
    }

    double r11_ = 0.0;
    double r12_ = 0.0;
    double r22_ = 0.0;
    double q1_ = 0.0;
    double q2_ = 0.0;
    double rss_ = 0.0;
    double constants_ = 0.0;
};

/// ln of the prior density of a variance's logarithm.
double log_density(std::span<const NoisePrior> priors, double log_variance) {
    std::vector<double> parts;
    for (const NoisePrior& prior : priors) {
        const double half = 0.5 * prior.degrees_of_freedom;
        parts.push_back(prior.log_weight + half * std::log(half * prior.variance) - numeric::log_gamma(half) -
                        half * log_variance - half * prior.variance * std::exp(-log_variance));
    }
    return log_sum(parts);
}

constexpr double deep = 5.0;  // deviations below zero, from where on logarithms are taken

/// ln of the probability that a normal variable is positive whose mean lies deep below zero (Mills' ratio).
double log_positive_part(double ratio) {
    return -0.5 * ratio * ratio - std::log(-ratio * root_of_two_pi) - 1.0 / (ratio * ratio);
}

/// Probability that a normal variable with this mean over its deviation is positive, to four digits: there
/// are very many forms.
double positive_part(double ratio) {
    constexpr double certain = 6.0;
    constexpr double spacing = 1.0 / 64.0;
    static const std::vector<double> table = [] {
        std::vector<double> values;
        for (double at = -certain; at <= certain + spacing; at += spacing)
            values.push_back(numeric::normal_cdf(at));
        return values;
    }();
    if (!(ratio < certain)) return 1.0;
    const double place = (ratio + certain) / spacing;
    const auto before = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(before);
    return table[before] + part * (table[before + 1] - table[before]);
}

}  // namespace

ChangePointSearch::ChangePointSearch(std::span<const double> points)
    : table_(points, 0), points_(points.size()) {
    PLIMSOLL_EXPECT(points_ >= 2 * fewest_regime_points);
    for (std::size_t cut = 0; cut < points_; cut += stride()) cuts_.push_back(cut);
    cuts_.push_back(points_);
    list_stretches();
}

ChangePointSearch::ChangePointSearch(std::span<const double> points, std::span<const Regime> way,
                                     std::size_t reach)
    : table_(points, 0), points_(points.size()) {
    std::set<std::size_t> cuts{0, points_};
    for (const Regime& regime : way) {
        const std::size_t first = regime.begin > reach ? regime.begin - reach : 0;
        const std::size_t last = std::min(regime.begin + reach, points_);
        for (std::size_t cut = first; regime.begin > 0 && cut <= last; ++cut) cuts.insert(cut);
    }
    cuts_.assign(cuts.begin(), cuts.end());
    list_stretches();
}

void ChangePointSearch::list_stretches() {
    std::size_t places = 0;
    for (const std::size_t cut : cuts_) {
        if (cut >= fewest_regime_points && cut + fewest_regime_points <= points_) ++places;
    }
    log_change_ = std::log(some_change / static_cast<double>(places));
    for (std::size_t begin = 0; begin + 1 < cuts_.size(); ++begin) {
        starts_.push_back(stretches_.size());
        for (std::size_t end = begin + 1; end < cuts_.size(); ++end) {
            const bool is_all = cuts_[end] - cuts_[begin] == points_;
            if (cuts_[end] - cuts_[begin] < fewest_regime_points || is_all) continue;
            stretches_.push_back({.begin = begin, .end = end, .forms = {}});
        }
    }
    starts_.push_back(stretches_.size());
}

void ChangePointSearch::fit_constant(std::size_t begin) {
    double weights = 0.0;
    double mean = 0.0;
    double rss = 0.0;
    double smallest = infinity;
    std::size_t next = cuts_[begin];
    for (std::size_t s = starts_[begin]; s < starts_[begin + 1]; ++s) {
        for (; next < cuts_[stretches_[s].end]; ++next) {
            const double weight = root_weights_[next] * root_weights_[next];
            const double difference = values_[next] - mean;
            weights += weight;
            mean += difference * weight / weights;
            rss += weight * difference * (values_[next] - mean);
            smallest = std::min(smallest, values_[next]);
        }
        const double length = std::sqrt(weights) * smallest;
        stretches_[s].forms.push_back({.prior = mass_of_constant,
                                       .rss = rss,
                                       .volume = root_of_two_pi / length,
                                       .term = mean / smallest * length});
    }
}

void ChangePointSearch::fit_function(std::size_t begin, FunctionId f, double mass, double taken_off) {
    const std::span<const double> column = table_.column(f);
    GrowingFit fit;
    double smallest = infinity;
    double largest_share = 0.0;  // at a coefficient of one
    std::size_t next = cuts_[begin];
    for (std::size_t s = starts_[begin]; s < starts_[begin + 1]; ++s) {
        for (; next < cuts_[stretches_[s].end]; ++next) {
            fit.add(column[next], root_weights_[next], values_[next]);
            smallest = std::min(smallest, values_[next]);
            largest_share = std::max(largest_share, column[next] / values_[next]);
        }
        if (!(largest_share > 0.0)) continue;
        const double length = fit.length() / largest_share;
        std::vector<FittedForm>& forms = stretches_[s].forms;
        forms.push_back({.prior = mass / 3.0,
                         .rss = fit.rss_alone(),
                         .volume = root_of_two_pi / length,
                         .term = fit.coefficient_alone() * largest_share * length});
        if (fit.is_dependent()) continue;
        const double of_constant = fit.length_of_constant() * smallest;
        forms.push_back({.prior = mass * 2.0 / 3.0,
                         .has_constant_beside = true,
                         .rss = fit.rss_with_constant(),
                         .volume = root_of_two_pi * root_of_two_pi / (length * of_constant),
                         .term = fit.coefficient() * largest_share * length / fit.lengthening(),
                         .constant = fit.constant() / smallest * of_constant,
                         .constant_share = std::clamp(fit.constant() / smallest, 0.0, 1.0),
                         .constant_deviation = 1.0 / of_constant});
        if (!(taken_off > 0.0)) continue;
        forms.push_back(forms.back());  // a constant less the term: what saturates
        // Where terms cancel, a share can exceed all, and its density falls with the square then.
        const double excess =
            std::max(fit.constant() / smallest, 1.0) * std::max(-fit.coefficient() * largest_share, 1.0);
        forms.back().prior = taken_off / (excess * excess);
        forms.back().term = -forms.back().term;
    }
}

void ChangePointSearch::fit_stretches() {
    std::vector<FunctionId> rising;
    std::vector<FunctionId> falling;
    for (const FunctionId f : rising_functions()) {
        if (table_.is_usable(f)) rising.push_back(f);
    }
    for (const FunctionId f : falling_functions()) {
        if (table_.is_usable(f)) falling.push_back(f);
    }
    for (Stretch& stretch : stretches_) stretch.forms.clear();
    for (std::size_t begin = 0; begin + 1 < cuts_.size(); ++begin) {
        if (starts_[begin] == starts_[begin + 1]) continue;
        fit_constant(begin);
        const auto fit_all = [&](const std::vector<FunctionId>& functions, double mass, double taken_off) {
            const auto count = static_cast<double>(functions.size());
            for (const FunctionId f : functions) fit_function(begin, f, mass / count, taken_off / count);
        };
        fit_all(rising, mass_of_rising, 0.0);
        fit_all(falling, mass_of_falling, mass_of_saturating);
    }
    for (Stretch& stretch : stretches_) {
        std::sort(stretch.forms.begin(), stretch.forms.end(),
                  [](const FittedForm& a, const FittedForm& b) { return a.rss < b.rss; });
    }
}

/// ln of the evidence of a stretch at a variance of the noise, summed over forms.
double ChangePointSearch::log_evidence(const Stretch& stretch, double variance) const {
    const double deviation = std::sqrt(variance);
    const double precision = 1.0 / deviation;
    const double half_precision = 0.5 / variance;
    // Forms whose coefficients would rather be negative fit best of all, but not with what they may have.
    double least_rss = infinity;
    for (const FittedForm& form : stretch.forms) {
        if (form.term < 0.0 || form.constant < 0.0) continue;
        least_rss = form.rss;
        break;
    }
    const double most_rss = least_rss + negligible / half_precision;
    double sum = 0.0;
    for (const FittedForm& form : stretch.forms) {
        if (form.rss > most_rss) break;
        double exponent = (least_rss - form.rss) * half_precision;
        double volume = form.volume * deviation;
        for (const double coefficient : {form.term, form.constant}) {
            const double ratio = coefficient * precision;
            if (ratio < -deep) {
                exponent += log_positive_part(ratio);
            } else if (coefficient != 0.0) {
                volume *= positive_part(ratio);
            }
        }
        double density = 1.0;
        if (form.has_constant_beside) {
            volume *= deviation;
            const double share = form.constant_share + 0.7 * deviation * form.constant_deviation;
            density = 1.0 / ((share + smallest_share) * -std::log(smallest_share));
        }
        // Shares lie between 0 and 1, so what a form explains is worth no more than its best fit.
        sum += form.prior * std::min(volume, 1.0) * density * std::exp(std::min(exponent, 300.0));
    }
    const auto points = static_cast<double>(cuts_[stretch.end] - cuts_[stretch.begin]);
    return std::log(sum) - least_rss * half_precision - 0.5 * points * std::log(2.0 * variance);
}

void ChangePointSearch::sum_over_ways(double variance, Sums& sums) const {
    sums.of_stretch.resize(stretches_.size());
    for (std::size_t s = 0; s < stretches_.size(); ++s)
        sums.of_stretch[s] = log_evidence(stretches_[s], variance);
    const std::size_t last = cuts_.size() - 1;
    std::vector<std::vector<double>> parts(cuts_.size());
    sums.before.assign(cuts_.size(), -infinity);
    sums.before[0] = 0.0;
    for (std::size_t s = 0; s < stretches_.size(); ++s) {  // in order of their begin, whose sum is complete
        const Stretch& stretch = stretches_[s];
        if (s == starts_[stretch.begin] && stretch.begin > 0 && !parts[stretch.begin].empty())
            sums.before[stretch.begin] = log_sum(parts[stretch.begin]);
        parts[stretch.end].push_back(sums.before[stretch.begin] + log_change(stretch) + sums.of_stretch[s]);
    }
    sums.before[last] = log_sum(parts[last]);
}

void ChangePointSearch::sum_from_behind(Sums& sums) const {
    const std::size_t last = cuts_.size() - 1;
    sums.behind.assign(cuts_.size(), -infinity);
    sums.behind[last] = 0.0;
    for (std::size_t begin = last; begin-- > 0;) {
        std::vector<double> ways;
        for (std::size_t s = starts_[begin]; s < starts_[begin + 1]; ++s)
            ways.push_back(log_change(stretches_[s]) + sums.of_stretch[s] + sums.behind[stretches_[s].end]);
        if (!ways.empty()) sums.behind[begin] = log_sum(ways);
    }
}

Regime ChangePointSearch::regime(const Stretch& stretch, double probability) const {
    return {.begin = cuts_[stretch.begin], .end = cuts_[stretch.end], .probability = probability};
}

std::vector<Regime> ChangePointSearch::best_way(const Sums& sums) const {
    std::vector<double> best(cuts_.size(), -infinity);
    std::vector<std::size_t> through(cuts_.size(), 0);
    best[0] = 0.0;
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
        const Stretch& stretch = stretches_[s];
        const double way = best[stretch.begin] + log_change(stretch) + sums.of_stretch[s];
        if (way <= best[stretch.end]) continue;
        best[stretch.end] = way;
        through[stretch.end] = s;
    }
    std::vector<Regime> regimes;
    for (std::size_t end = cuts_.size() - 1; end > 0; end = stretches_[through[end]].begin)
        regimes.push_back(regime(stretches_[through[end]], 0.0));
    std::reverse(regimes.begin(), regimes.end());
    return regimes;
}

/// What is left of the values by the way and the forms that leave least.
double ChangePointSearch::smallest_rss() const {
    std::vector<double> least(cuts_.size(), infinity);
    least[0] = 0.0;
    for (const Stretch& stretch : stretches_) {
        const double best = stretch.forms.front().rss;
        least[stretch.end] = std::min(least[stretch.end], least[stretch.begin] + best);
    }
    return least.back();
}

ChangePointSearch::Limits ChangePointSearch::limits_of_variance(double rss,
                                                                std::span<const NoisePrior> priors) const {
    // Where a scaled inverse chi-squared density is nothing, beside its mode. A way leaves a third of the
    // points' degrees of freedom at least.
    constexpr double below_mode = 6.0;
    constexpr double above_mode = 10.0;
    const auto n = static_cast<double>(points_);
    const double least_rss = smallest_rss();
    Limits limits{.least = largest_variance, .most = smallest_variance};
    for (const NoisePrior& prior : priors) {
        const double nu = prior.degrees_of_freedom;
        limits.least = std::min(limits.least, (nu * prior.variance + least_rss) / (nu + n) / below_mode);
        limits.most = std::max(limits.most, (nu * prior.variance + rss) / (nu + n / 3.0) * above_mode);
    }
    limits.least = std::max(limits.least, smallest_variance);
    limits.most = std::min(limits.most, largest_variance);
    return limits;
}

void ChangePointSearch::prepare(std::span<const double> values, std::span<const double> weights) {
    PLIMSOLL_EXPECT(values.size() == points_ && weights.size() == points_);
    values_.assign(values.begin(), values.end());
    root_weights_.clear();
    for (const double weight : weights) root_weights_.push_back(std::sqrt(weight));
    fit_stretches();
}

ChangePoints ChangePointSearch::find(std::span<const double> values, std::span<const double> weights,
                                     std::span<const NoisePrior> priors, double rss) {
    prepare(values, weights);
    double freedom = 0.0;
    for (const NoisePrior& prior : priors) freedom = std::max(freedom, prior.degrees_of_freedom);
    // Two deviations of the density of the variance's logarithm: sums of a bell at such steps are its
    // integral but for a hundredth.
    const double step = 2.0 * std::sqrt(2.0 / (freedom + static_cast<double>(points_)));
    const Limits limits = limits_of_variance(rss, priors);
    const double last = std::log(limits.most) + 0.5 * step;
    ChangePoints result;
    Sums sums;
    std::vector<double> probability(stretches_.size(), 0.0);
    double highest = -infinity;  // all sums are in units of this
    double total = 0.0;
    double log_variances = 0.0;
    for (double u = std::log(limits.least); u < last; u += step) {
        sum_over_ways(std::exp(u), sums);
        const double height = sums.total() + log_density(priors, u);
        if (!(height > highest - negligible)) continue;
        if (height > highest) {
            const double unit = std::exp(highest - height);
            for (double& sum : probability) sum *= unit;
            total *= unit;
            log_variances *= unit;
            highest = height;
            result.best_way = best_way(sums);
        }
        const double weight = std::exp(height - highest);
        total += weight;
        log_variances += weight * u;
        sum_from_behind(sums);
        for (std::size_t s = 0; s < stretches_.size(); ++s) {
            const Stretch& stretch = stretches_[s];
            probability[s] += weight * std::exp(sums.before[stretch.begin] + log_change(stretch) +
                                                sums.of_stretch[s] + sums.behind[stretch.end] - sums.total());
        }
    }
    if (result.best_way.empty()) return result;
    result.log_evidence = highest + std::log(total * step / (1.0 - some_change));
    result.variance = std::exp(log_variances / total);
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
        const Regime found = regime(stretches_[s], probability[s] / total);
        if (found.probability >= least_probability) result.regimes.push_back(found);
        for (Regime& of_best : result.best_way) {
            if (of_best.begin == found.begin && of_best.end == found.end) of_best = found;
        }
    }
    return result;
}

}  // namespace plimsoll::model::detail
