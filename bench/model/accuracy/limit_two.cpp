#include "limit_two.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "least_squares.hpp"
#include "plimsoll/core/parallel.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/numeric/distribution.hpp"
#include "published_prior.hpp"
#include "sums.hpp"

namespace plimsoll::model::accuracy {
namespace {

/// The value below which a share of the standard normal distribution lies, to nine digits: what draws need,
/// without the Newton steps of numeric::normal_quantile. Source: Acklam, "An algorithm for computing the
/// inverse normal cumulative distribution function", 2003.
double quick_normal_quantile(double share) {
    const auto ratio = [](double x, const auto& over, const auto& under) {
        double a = 0.0;
        double b = 0.0;
        for (const double coefficient : over) a = a * x + coefficient;
        for (const double coefficient : under) b = b * x + coefficient;
        return a / (b * x + 1.0);
    };
    constexpr std::array<double, 6> tail_over{-7.784894002430293e-03, -3.223964580411365e-01,
                                              -2.400758277161838e+00, -2.549732539343734e+00,
                                              4.374664141464968e+00,  2.938163982698783e+00};
    constexpr std::array<double, 4> tail_under{7.784695709041462e-03, 3.224671290700398e-01,
                                               2.445134137142996e+00, 3.754408661907416e+00};
    constexpr std::array<double, 6> over{-3.969683028665376e+01, 2.209460984245205e+02,
                                         -2.759285104469687e+02, 1.383577518672690e+02,
                                         -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr std::array<double, 5> under{-5.447609879822406e+01, 1.615858368580409e+02,
                                          -1.556989798598866e+02, 6.680131188771972e+01,
                                          -1.328068155288572e+01};
    constexpr double tail = 0.02425;
    if (share < tail) return ratio(std::sqrt(-2.0 * std::log(share)), tail_over, tail_under);
    if (share > 1.0 - tail) return -ratio(std::sqrt(-2.0 * std::log1p(-share)), tail_over, tail_under);
    const double q = share - 0.5;
    return q * ratio(q * q, over, under);
}

/// The posterior for the runs of one function.
class Two {
  public:
    Two(const PublishedPrior& prior, const Sums& sums, double deviation, std::uint64_t seed)
        : prior_(&prior), sums_(&sums), variance_(deviation * deviation), random_(seed) {
        for (std::size_t i = 0; i < sums.first.size(); ++i)
            means_.push_back(sums.first[i] / sums.repetitions);
    }

    Answer answer() {
        constexpr std::size_t tried = 32;       // draws to weigh a form
        constexpr std::size_t budget = 8000;    // draws in all
        constexpr double worth_drawing = 1e-5;  // probability of a form
        struct Candidate {
            Proposal proposal;
            double log_evidence;
        };
        std::vector<Candidate> candidates;
        double best = -std::numeric_limits<double>::infinity();
        for (const std::size_t index : likely_pairs()) {
            const auto proposal = propose(index);
            if (!proposal) continue;
            const double log_evidence = draw(*proposal, tried, nullptr);
            best = std::max(best, log_evidence);
            candidates.push_back({*proposal, log_evidence});
        }
        double total = 0.0;
        for (const Candidate& c : candidates) total += std::exp(c.log_evidence - best);
        for (const Candidate& c : candidates) {
            const double probability = std::exp(c.log_evidence - best) / total;
            if (!(probability > worth_drawing)) continue;
            const auto wanted = static_cast<std::size_t>(probability * static_cast<double>(budget));
            draw(c.proposal, std::max<std::size_t>(wanted, 64), &draws_);
        }
        return from_draws();
    }

  private:
    /// The normal distribution that is drawn from: mean + lower * standard normal ones.
    struct Proposal {
        std::size_t pair = 0;
        Unknowns mean{};
        Matrix lower{};
    };
    struct Draw {
        std::size_t pair;
        Unknowns c;
        double log_weight;
    };

    [[nodiscard]] std::array<const double*, 2> columns(std::size_t index) const {
        const Pair& pair = prior_->pairs[index];
        const auto first = static_cast<std::size_t>(pair.first - prior_->classes.data());
        const auto second = static_cast<std::size_t>(pair.second - prior_->classes.data());
        return {prior_->of_first[first].data(), prior_->of_second[second].data()};
    }

    [[nodiscard]] LeastSquares squares(std::size_t index, const std::vector<double>& weights) const {
        const auto [t, u] = columns(index);
        const std::size_t n = weights.size();
        LeastSquares s;
        double w1 = 0, wy = 0, wyy = 0, w0 = 0, w11 = 0, w1y = 0, w2 = 0, w22 = 0, w12 = 0, w2y = 0;
        if (prior_->pairs[index].is_sum) {
            for (std::size_t i = 0; i < n; ++i) {
                const double w = weights[i];
                const double y = means_[i];
                w0 += w;
                w1 += w * t[i];
                w2 += w * u[i];
                w11 += w * t[i] * t[i];
                w12 += w * t[i] * u[i];
                w22 += w * u[i] * u[i];
                wy += w * y;
                w1y += w * t[i] * y;
                w2y += w * u[i] * y;
                wyy += w * y * y;
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                const double w = weights[i];
                const double y = means_[i];
                const double x = t[i] * u[i];
                w0 += w;
                w1 += w * x;
                w11 += w * x * x;
                wy += w * y;
                w1y += w * x * y;
                wyy += w * y * y;
            }
        }
        s.gram = {Unknowns{w0, w1, w2}, Unknowns{w1, w11, w12}, Unknowns{w2, w12, w22}};
        s.right = {wy, w1y, w2y};
        s.square = wyy;
        return s;
    }

    [[nodiscard]] std::vector<std::size_t> likely_pairs() const {
        constexpr double unlikely = 25.0;  // of the logarithm of the likelihood
        std::vector<double> weights;
        for (const double mean : means_) weights.push_back(1.0 / (mean * mean));
        std::vector<double> misfits(prior_->pairs.size(), std::numeric_limits<double>::infinity());
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p < misfits.size(); ++p) {
            const Pair& pair = prior_->pairs[p];
            const LeastSquares s = squares(p, weights);
            const auto misfit = [&](const Unknowns& c) {
                return 0.5 * s.left(pair.unknowns(), c) * sums_->repetitions / variance_;
            };
            const auto anywhere = s.best(pair.unknowns(), {});  // quick, and no worse than within the limits
            if (anywhere && misfit(*anywhere) > least + unlikely) continue;
            misfits[p] = misfit(s.within(pair.unknowns(), pair.largest()));
            least = std::min(least, misfits[p]);
        }
        std::vector<std::size_t> likely;
        for (std::size_t p = 0; p < misfits.size(); ++p) {
            if (misfits[p] < least + unlikely) likely.push_back(p);
        }
        return likely;
    }

    [[nodiscard]] std::optional<Proposal> propose(std::size_t index) const {
        constexpr double wider = 1.2;  // than the normal distribution that fits: tails are heavier
        const Pair& pair = prior_->pairs[index];
        const std::size_t n = pair.unknowns();
        std::vector<double> weights;
        for (const double mean : means_) weights.push_back(1.0 / (mean * mean));
        const Unknowns c = squares(index, weights).within(n, pair.largest());
        // Weights by noisy values favour the low ones: once more by fitted values.
        const auto [t, u] = columns(index);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const double fitted = pair.is_sum ? c[0] + c[1] * t[i] + c[2] * u[i] : c[0] + c[1] * t[i] * u[i];
            const double size = std::max(fitted, 0.2 * means_[i]);
            weights[i] = sums_->repetitions / (variance_ * size * size);
        }
        const LeastSquares s = squares(index, weights);
        // Units in which the unknowns are alike; limits count as a wide normal prior.
        const Unknowns largest = pair.largest();
        Matrix precision{};
        Unknowns unit{};
        for (std::size_t i = 0; i < n; ++i) unit[i] = 1.0 / std::sqrt(s.gram[i][i]);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) precision[i][j] = s.gram[i][j] * unit[i] * unit[j];
            precision[i][i] += unit[i] * unit[i] / (largest[i] * largest[i]) + 1e-13;
        }
        Matrix root = precision;
        if (!factor(root, n)) return std::nullopt;
        Proposal proposal{.pair = index};
        Matrix covariance{};
        for (std::size_t column = 0; column < n; ++column) {
            Unknowns x{};
            x[column] = 1.0;
            solve(root, n, x);
            for (std::size_t i = 0; i < n; ++i) covariance[i][column] = x[i] * unit[i] * unit[column];
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) proposal.mean[i] += covariance[i][j] * s.right[j];
        }
        proposal.lower = covariance;
        if (!factor(proposal.lower, n)) return std::nullopt;
        for (Unknowns& row : proposal.lower) {
            for (double& value : row) value *= wider;
        }
        return proposal;
    }

    [[nodiscard]] double log_likelihood(std::size_t index, const Unknowns& c) const {
        const auto [t, u] = columns(index);
        const bool is_sum = prior_->pairs[index].is_sum;
        double exponent = 0.0;
        double log_product = 0.0;
        double product = 1.0;
        for (std::size_t i = 0; i < means_.size(); ++i) {
            const double f = is_sum ? c[0] + c[1] * t[i] + c[2] * u[i] : c[0] + c[1] * t[i] * u[i];
            const double ratio = means_[i] / f;
            // Sum over repetitions of (y / f - 1)^2, by mean and scatter: exact for small noise as well.
            const double scatter =
                std::max(sums_->second[i] / sums_->repetitions / (means_[i] * means_[i]) - 1.0, 0.0);
            exponent += (ratio - 1.0) * (ratio - 1.0) + ratio * ratio * scatter;
            product *= ratio;
            if ((i + 1) % 8 == 0) log_product += std::log(std::exchange(product, 1.0));
        }
        log_product += std::log(product);
        return sums_->repetitions * (log_product - 0.5 * exponent / variance_);
    }

    /// Draws `count` times; the logarithm of the mean weight comes back.
    double draw(const Proposal& proposal, std::size_t count, std::vector<Draw>* kept) {
        // Fractional parts of multiples of these are evenly spread in three dimensions.
        constexpr Unknowns steps{0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
        const Pair& pair = prior_->pairs[proposal.pair];
        const std::size_t n = pair.unknowns();
        const Unknowns largest = pair.largest();
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        const Unknowns shift{uniform(random_), uniform(random_), uniform(random_)};
        std::vector<double> logs;
        for (std::size_t i = 0; i < count; ++i) {
            Unknowns e{};
            Unknowns c{};
            double log_density = 0.0;
            bool is_possible = true;
            for (std::size_t k = 0; k < n && is_possible; ++k) {
                double middle = proposal.mean[k];
                for (std::size_t j = 0; j < k; ++j) middle += proposal.lower[k][j] * e[j];
                const double scale = proposal.lower[k][k];
                double low = -middle / scale;
                double high = (largest[k] - middle) / scale;
                // In the lower tail, where the distribution function has all its digits.
                const bool is_mirrored = low > 0.0;
                if (is_mirrored) low = -std::exchange(high, -low);
                const double below = numeric::normal_cdf(low);
                const double mass = numeric::normal_cdf(high) - below;
                is_possible = mass > 1e-200;
                if (!is_possible) break;
                const double whole = shift[k] + static_cast<double>(i + 1) * steps[k];
                const double part =
                    std::clamp(below + mass * (whole - std::floor(whole)), 1e-250, 1.0 - 1e-16);
                e[k] = quick_normal_quantile(part);
                log_density += -0.5 * e[k] * e[k] - 0.9189385332046727 - std::log(mass * scale);
                if (is_mirrored) e[k] = -e[k];
                c[k] = std::clamp(middle + scale * e[k], 0.0, largest[k]);
            }
            if (!is_possible || !(c[1] > 0.0) || c[1] >= largest[1]) continue;
            const double log_weight = prior_->log_density(pair, c) - log_density;
            if (!std::isfinite(log_weight)) continue;
            logs.push_back(log_weight + log_likelihood(proposal.pair, c));
            if (kept != nullptr) {
                kept->push_back({proposal.pair, c, logs.back() - std::log(static_cast<double>(count))});
            }
        }
        if (logs.empty()) return -std::numeric_limits<double>::infinity();
        const double best = *std::max_element(logs.begin(), logs.end());
        double sum = 0.0;
        for (const double value : logs) sum += std::exp(value - best);
        return best + std::log(sum / static_cast<double>(count));
    }

    [[nodiscard]] Answer from_draws() const {
        double best = -std::numeric_limits<double>::infinity();
        for (const Draw& d : draws_) best = std::max(best, d.log_weight);
        std::vector<double> weights;
        double total = 0.0;
        std::map<std::pair<double, double>, double> by_exponents;
        for (const Draw& d : draws_) {
            const Pair& pair = prior_->pairs[d.pair];
            weights.push_back(std::exp(d.log_weight - best));
            total += weights.back();
            by_exponents[{pair.first->exponent, pair.second->exponent}] += weights.back();
        }
        for (double& weight : weights) weight /= total;
        Answer answer;
        const auto& lead =
            std::max_element(by_exponents.begin(), by_exponents.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            })->first;
        answer.lead = {lead.first, lead.second};
        for (const Place& place : places(2)) {
            std::vector<std::pair<double, double>> values;
            std::size_t pair = prior_->pairs.size();
            Unknowns t{};
            for (std::size_t i = 0; i < draws_.size(); ++i) {
                const Draw& d = draws_[i];
                if (d.pair != pair) t = prior_->pairs[pair = d.pair].at(place.at[0], place.at[1]);
                values.emplace_back(d.c[0] + d.c[1] * t[1] + d.c[2] * t[2], weights[i]);
            }
            std::sort(values.begin(), values.end());
            answer.at.push_back(predict(values));
        }
        return answer;
    }

    /// From values with their probabilities, sorted.
    static Prediction predict(const std::vector<std::pair<double, double>>& values) {
        Prediction prediction;
        std::vector<double> below{0.0};
        for (const auto& value : values) below.push_back(below.back() + value.second);
        constexpr double reach = 1.05 / 0.95;  // within 5 % of v lies what is between v / 1.05 and v / 0.95
        double best = -1.0;
        std::size_t end = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            while (end < values.size() && values[end].first <= reach * values[i].first) ++end;
            const double mass = below[end] - below[i];
            if (mass <= best) continue;
            best = mass;
            const double spare = reach * values[i].first / values[end - 1].first;
            prediction.value = 1.05 * values[i].first / std::sqrt(spare);
        }
        prediction.chance = std::min(best, 1.0);
        const auto quantile = [&](double share) {
            const auto above = std::upper_bound(below.begin(), below.end(), share * below.back());
            const auto index = static_cast<std::size_t>(above - below.begin());
            return values[std::min(index == 0 ? 0 : index - 1, values.size() - 1)].first;
        };
        prediction.intervals.emplace();
        for (std::size_t c = 0; c < coverages.size(); ++c) {
            const double tail = 0.5 * (1.0 - coverages[c]);
            (*prediction.intervals)[c] = {.low = quantile(tail), .high = quantile(1.0 - tail)};
        }
        return prediction;
    }

    const PublishedPrior* prior_;
    const Sums* sums_;
    double variance_;
    std::mt19937_64 random_;
    std::vector<double> means_;
    std::vector<Draw> draws_;
};

}  // namespace

std::vector<Answer> limit_of_two(const Cell& cell, const Runs& runs, int threads) {
    const PublishedPrior prior(cell);
    std::vector<Answer> answers(runs.size());
    Activity activity(silent(), "integrating", static_cast<std::int64_t>(runs.size()));
    parallel_for(runs.size(), threads, activity, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Sums sums = sums_of(cell, runs[i]);
            answers[i] = Two(prior, sums, deviation_of(cell), cell.seed * 1000003 + i).answer();
        }
    });
    return answers;
}

}  // namespace plimsoll::model::accuracy
