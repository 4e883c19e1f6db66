#include "plimsoll/model/detail/posterior/form_evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double smallest_share = 1e-4;  // of a constant in the values, below which it counts as none
constexpr double dependent = 1e-11;      // length left of a column, squared, after the others are taken out

double dot(const double* a, const double* b, std::size_t n) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// Natural logarithm of a positive normal number to 1e-5: the exponent, and a polynomial in the rest.
double rough_log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52U) - 1023);
    const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFU) | 0x3FF0000000000000U);
    const double t = (m - 1.4142135623730951) / (m + 1.4142135623730951);  // |t| < 0.172
    const double s = t * t;
    return (exponent + 0.5) * std::numbers::ln2 + 2.0 * t * (1.0 + s * (1.0 / 3.0 + s * 0.2));
}

constexpr std::size_t packed(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Restricts normally distributed unknowns, the first `count`, to positive values: one at a time, the others
/// moved along with its mean and variance (moments of the truncated normal distribution; Mendell and Elston,
/// "Multifactorial qualitative traits: genetic analysis and prediction of recurrence risks", Biometrics 30,
/// 1974). The logarithm of the probability that all are positive comes back.
double keep_positive(std::span<double> mean, std::size_t count,
                     std::array<double, most_unknowns*(most_unknowns + 1) / 2>& covariance) {
    constexpr double certain = 6.0;  // deviations above zero, where the tail beyond is nothing
    const auto at = [&](std::size_t i, std::size_t j) -> double& {
        return covariance[i >= j ? packed(i, j) : packed(j, i)];
    };
    double log_probability = 0.0;
    std::array<bool, most_unknowns> is_done{};
    for (std::size_t step = 0; step < count; ++step) {
        std::size_t worst = count;  // the one that lies furthest on the wrong side moves the others most
        double least = certain;
        for (std::size_t i = 0; i < count; ++i) {
            const double alpha = mean[i] / std::sqrt(at(i, i));
            if (is_done[i] || !(alpha < least)) continue;
            least = alpha;
            worst = i;
        }
        if (worst == count) break;
        is_done[worst] = true;
        const double deviation = std::sqrt(at(worst, worst));
        const double below = std::max(numeric::normal_cdf(least), 1e-300);
        log_probability += std::log(below);
        // phi/Phi, which tends to -alpha - 1/alpha far on the wrong side
        const double lambda = least < -30.0 ? -least - 1.0 / least : numeric::normal_density(least) / below;
        const double shrink = std::min(lambda * (lambda + least), 1.0);
        std::array<double, most_unknowns> along{};
        for (std::size_t i = 0; i < mean.size(); ++i) along[i] = at(i, worst) / deviation;
        for (std::size_t i = 0; i < mean.size(); ++i) {
            mean[i] += along[i] * lambda;
            for (std::size_t j = 0; j <= i; ++j) at(i, j) -= along[i] * along[j] * shrink;
            at(i, i) = std::max(at(i, i), 0.0);
        }
    }
    return log_probability;
}

}  // namespace

double log_add(double a, double b) {
    const double larger = std::max(a, b);
    if (!std::isfinite(larger)) return larger;
    return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

void FormEvidence::set_values(std::span<const double> values, std::span<const double> sizes,
                              std::span<const NoisePrior> priors, bool may_be_negative) {
    values_.assign(values.begin(), values.end());
    inverse_sizes_.resize(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) inverse_sizes_[i] = 1.0 / sizes[i];
    given_priors_.assign(priors.begin(), priors.end());
    may_be_negative_ = may_be_negative;
    set_variance_floor(0.0);
}

void FormEvidence::set_variance_floor(double floor) {
    priors_ = given_priors_;
    for (NoisePrior& prior : priors_) prior.variance = std::max(prior.variance, floor);
    prepare_constants();
}

void FormEvidence::prepare_constants() {
    const auto n = static_cast<double>(values_.size());
    constants_.resize(priors_.size());
    for (std::size_t c = 0; c < priors_.size(); ++c) {
        const NoisePrior& prior = priors_[c];
        const double half = 0.5 * prior.degrees_of_freedom;
        const double common = prior.log_weight + half * std::log(prior.degrees_of_freedom * prior.variance) -
                              numeric::log_gamma(half);
        for (std::size_t k = 0; k <= most_unknowns; ++k) {
            const double a = 0.5 * (prior.degrees_of_freedom + n - static_cast<double>(k));
            constants_[c][k] = a > 0.0 ? common + numeric::log_gamma(a) +
                                             0.5 * static_cast<double>(k) * std::log(std::numbers::pi)
                                       : -std::numeric_limits<double>::infinity();
        }
    }
}

void FormEvidence::set_weights(std::span<const double> weights) {
    root_weights_.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) root_weights_[i] = std::sqrt(weights[i]);
}

double FormEvidence::rough_log_evidence(double rss, double determinant, std::size_t unknowns) const {
    const auto freedom = static_cast<double>(values_.size()) - static_cast<double>(unknowns);
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < priors_.size(); ++c) {
        const double s = priors_[c].degrees_of_freedom * priors_[c].variance + rss;
        const double a = 0.5 * (priors_[c].degrees_of_freedom + freedom);
        best = std::max(best, constants_[c][unknowns] - a * rough_log(s));
    }
    return best - 0.5 * rough_log(determinant);
}

double FormEvidence::largest_variance(double rss, std::size_t unknowns) const {
    const auto freedom = static_cast<double>(values_.size()) - static_cast<double>(unknowns);
    double largest = 0.0;
    for (const NoisePrior& prior : priors_) {
        const double nu = prior.degrees_of_freedom;
        largest = std::max(largest, (nu * prior.variance + rss) / (nu + freedom));
    }
    return largest;
}

bool FormEvidence::fit(std::span<const double* const> columns, const UnknownsOfForm& form,
                       LinearFit& result) {
    const std::size_t n = values_.size();
    const std::size_t k = columns.size();
    PLIMSOLL_EXPECT(k <= most_unknowns && k < n);
    work_.resize((k + 1) * n);
    double* z = work_.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) z[i] = root_weights_[i] * values_[i];

    // Columns scaled by m, the coefficient at which the term alone reaches a value. Orthogonalised twice,
    // which makes Gram-Schmidt as exact as Householder's reflections.
    // NOLINTBEGIN(*-member-init): filled as far as there are columns
    std::array<double, most_unknowns> m;
    std::array<std::array<double, most_unknowns>, most_unknowns> r;
    std::array<double, most_unknowns> projection;
    std::array<std::array<double, most_unknowns>, most_unknowns> inverse;
    std::array<double, most_unknowns> theta;
    // NOLINTEND(*-member-init)
    double determinant = 1.0;
    for (std::size_t j = 0; j < k; ++j) {
        double* q = work_.data() + j * n;
        m[j] = 1.0;
        if (j < form.coefficients) {
            double most = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                most = std::max(most, std::abs(columns[j][i]) * inverse_sizes_[i]);
            }
            if (most <= 0.0) return false;
            m[j] = 1.0 / most;
        }
        double before = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            q[i] = m[j] * root_weights_[i] * columns[j][i];
            before += q[i] * q[i];
        }
        projection[j] = 0.0;
        for (std::size_t p = 0; p < j; ++p) r[p][j] = 0.0;
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t p = 0; p < j; ++p) {
                const double* other = work_.data() + p * n;
                const double along = dot(other, q, n);
                r[p][j] += along;
                for (std::size_t i = 0; i < n; ++i) q[i] -= along * other[i];
            }
        }
        const double left = dot(q, q, n);
        if (!(left > dependent * before)) return false;
        r[j][j] = std::sqrt(left);
        for (std::size_t i = 0; i < n; ++i) q[i] /= r[j][j];
        determinant *= left;
        for (int pass = 0; pass < 2; ++pass) {
            const double along = dot(q, z, n);
            projection[j] += along;
            for (std::size_t i = 0; i < n; ++i) z[i] -= along * q[i];
        }
    }
    const double rss = dot(z, z, n);

    // Inverse of R, the coefficients and G = R^-1 R^-T in scaled units.
    for (std::size_t j = 0; j < k; ++j) {
        inverse[j][j] = 1.0 / r[j][j];
        for (std::size_t i = j; i-- > 0;) {
            double sum = 0.0;
            for (std::size_t p = i + 1; p <= j; ++p) sum += r[i][p] * inverse[p][j];
            inverse[i][j] = -sum / r[i][i];
        }
    }

    // Each noise prior's share of the evidence decides how large the variance is.
    const auto freedom = static_cast<double>(n - k);
    double best = -std::numeric_limits<double>::infinity();
    std::array<double, 8> parts;  // NOLINT(*-member-init): filled as far as there are priors
    PLIMSOLL_EXPECT(priors_.size() <= parts.size());
    for (std::size_t c = 0; c < priors_.size(); ++c) {
        const double s = priors_[c].degrees_of_freedom * priors_[c].variance + rss;
        const double a = 0.5 * (priors_[c].degrees_of_freedom + freedom);
        parts[c] = constants_[c][k] - a * std::log(s);
        best = std::max(best, parts[c]);
    }
    double shares = 0.0;
    double variance = 0.0;
    double degrees = 0.0;
    for (std::size_t c = 0; c < priors_.size(); ++c) {
        const double share = parts[c] == best ? 1.0 : std::exp(parts[c] - best);
        const double nu = priors_[c].degrees_of_freedom + freedom;
        shares += share;
        variance += share * (priors_[c].degrees_of_freedom * priors_[c].variance + rss) / nu;
        degrees += share * nu;
    }
    variance /= shares;
    degrees /= shares;
    const double total = best + std::log(shares);
    result.log_evidence = total - 0.5 * std::log(determinant);
    result.unknowns = k;
    result.degrees_of_freedom = degrees;
    for (std::size_t i = 0; i < k; ++i) {
        theta[i] = 0.0;
        for (std::size_t j = i; j < k; ++j) theta[i] += inverse[i][j] * projection[j];
        for (std::size_t j = 0; j <= i; ++j) {
            double g = 0.0;
            for (std::size_t p = i; p < k; ++p) g += inverse[i][p] * inverse[j][p];
            result.covariance[packed(i, j)] = variance * g;
        }
    }
    if (!may_be_negative_) {
        if (form.has_constant && form.coefficients > 1) {
            const double deviation = std::sqrt(result.covariance[0]);
            const double share = std::clamp(theta[0], 0.0, 1.0) + 0.7 * deviation + smallest_share;
            result.log_evidence -= std::log(share * -std::log(smallest_share));
        }
        result.log_evidence +=
            keep_positive(std::span(theta.data(), k), form.coefficients, result.covariance);
    }
    for (std::size_t i = 0; i < k; ++i) {
        result.coefficients[i] = theta[i] * m[i];
        for (std::size_t j = 0; j <= i; ++j) result.covariance[packed(i, j)] *= m[i] * m[j];
    }
    return true;
}

}  // namespace plimsoll::model::detail
