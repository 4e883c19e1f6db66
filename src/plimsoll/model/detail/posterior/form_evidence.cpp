#include "plimsoll/model/detail/posterior/form_evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr double smallest_share = 1e-4;  // of a constant in the values, below which it counts as none
constexpr double constant_range = 9.2103403719761836;  // ln of how much larger a constant may be
constexpr double part_of_deviation = 0.7;  // that a constant's share is larger by, in the mean of its prior
constexpr double dependent = 1e-11;        // length left of a column, squared, after the others are taken out

/// Four numbers that a processor works on side by side.
using Lanes [[gnu::vector_size(4 * sizeof(double))]] = double;
constexpr std::size_t lanes = 4;

inline void load(const double* from, Lanes& to) { std::memcpy(&to, from, sizeof to); }

inline double dot(const double* a, const double* b, std::size_t n) {
    Lanes sums{};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        Lanes left;
        Lanes right;
        load(a + i, left);
        load(b + i, right);
        sums += left * right;
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// The largest |a| b; b is not negative.
inline double largest_product(const double* a, const double* b, std::size_t n) {
    Lanes largest{};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        Lanes product;
        Lanes right;
        load(a + i, product);
        load(b + i, right);
        product *= right;
        product = product < 0.0 ? -product : product;
        largest = largest < product ? product : largest;
    }
    double result = std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
    for (; i < n; ++i) result = std::max(result, std::abs(a[i]) * b[i]);
    return result;
}

inline void take_away(double factor, const double* __restrict from, double* __restrict to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] -= factor * from[i];
}

/// Natural logarithm of a positive normal number to 1e-5: the exponent, and a polynomial in the rest. Written
/// so that loops over it are vectorised.
inline double rough_log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    // An integer below 2^52 in the mantissa of 2^52 makes the number 2^52 + integer.
    const double exponent = std::bit_cast<double>((bits >> 52U) | 0x4330000000000000U) - 4503599627371519.0;
    const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFU) | 0x3FF0000000000000U);
    const double t = (m - 1.4142135623730951) / (m + 1.4142135623730951);  // |t| < 0.172
    const double s = t * t;
    return (exponent + 0.5) * std::numbers::ln2 + 2.0 * t * (1.0 + s * (1.0 / 3.0 + s * 0.2));
}

/// Square root to 4 %: half the exponent, and a straight line in the rest.
inline double rough_root(double x) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 1U) + 0x1FF7A3BEA91D9B1BU);
}

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

PLIMSOLL_VECTORISED
void FormEvidence::rough_log_evidence(std::span<const double> rss, std::span<const double> determinants,
                                      std::size_t unknowns, std::span<double> result) const {
    const std::size_t count = result.size();
    const auto freedom = static_cast<double>(values_.size()) - static_cast<double>(unknowns);
    const double* __restrict sums = rss.data();
    double* __restrict out = result.data();
    std::fill(out, out + count, -std::numeric_limits<double>::infinity());
    for (std::size_t c = 0; c < priors_.size(); ++c) {
        const double from_prior = priors_[c].degrees_of_freedom * priors_[c].variance;
        const double a = 0.5 * (priors_[c].degrees_of_freedom + freedom);
        const double constant = constants_[c][unknowns];
        for (std::size_t j = 0; j < count; ++j) {
            const double rating = constant - a * rough_log(from_prior + sums[j]);
            out[j] = out[j] > rating ? out[j] : rating;
        }
    }
    const double* __restrict dets = determinants.data();
    for (std::size_t j = 0; j < count; ++j) out[j] -= 0.5 * rough_log(dets[j]);
}

PLIMSOLL_VECTORISED
void FormEvidence::add_density_of_constant(std::span<const double> rss, std::span<const double> shares,
                                           std::span<const double> deviations, std::size_t unknowns,
                                           std::span<double> result) const {
    std::array<double, 64> variances;  // NOLINT(*-member-init): the smallest that a prior thinks of
    const std::size_t count = result.size();
    PLIMSOLL_EXPECT(count <= variances.size());
    const auto freedom = static_cast<double>(values_.size()) - static_cast<double>(unknowns);
    const double* __restrict sums = rss.data();
    const double* __restrict squares = shares.data();
    const double* __restrict unscaled = deviations.data();
    double* __restrict out = result.data();
    std::fill_n(variances.begin(), count, std::numeric_limits<double>::infinity());
    for (const NoisePrior& prior : priors_) {
        const double from_prior = prior.degrees_of_freedom * prior.variance;
        const double factor = 1.0 / (prior.degrees_of_freedom + freedom);
        for (std::size_t j = 0; j < count; ++j) {
            const double guess = (from_prior + sums[j]) * factor;
            variances[j] = guess < variances[j] ? guess : variances[j];
        }
    }
    for (std::size_t j = 0; j < count; ++j) {
        const double square = squares[j] < 1.0 ? squares[j] : 1.0;
        const double share = rough_root(square) + part_of_deviation * rough_root(variances[j] * unscaled[j]);
        out[j] -= rough_log((share + smallest_share) * constant_range);
    }
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

double FormEvidence::least_variance() const {
    double least = std::numeric_limits<double>::infinity();
    for (const NoisePrior& prior : given_priors_) least = std::min(least, prior.variance);
    return least;
}

double FormEvidence::largest_power() const {
    double freedom = 0.0;
    for (const NoisePrior& prior : priors_) freedom = std::max(freedom, prior.degrees_of_freedom);
    return 0.5 * (freedom + static_cast<double>(values_.size()));
}

/// Takes the columns before out of one more, and it out of what is left of the values. Columns are scaled by
/// the coefficient at which the term alone reaches a value. False where nothing is left of the column.
PLIMSOLL_VECTORISED
bool FormEvidence::orthogonalise(const double* column, std::size_t j, bool is_coefficient) {
    const std::size_t n = values_.size();
    double* q = work_.data() + j * n;
    double* z = work_.data() + most_unknowns * n;
    scale_[j] = 1.0;
    if (is_coefficient) {
        const double most = largest_product(column, inverse_sizes_.data(), n);
        if (most <= 0.0) return false;
        scale_[j] = 1.0 / most;
    }
    for (std::size_t i = 0; i < n; ++i) q[i] = scale_[j] * root_weights_[i] * column[i];
    const double before = dot(q, q, n);
    double left = before;
    for (std::size_t p = 0; p < j; ++p) r_[p][j] = 0.0;
    // A second time where little was left, which makes Gram-Schmidt as exact as Householder's reflections.
    constexpr double little = 1e-3;
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t p = 0; p < j; ++p) {
            const double* other = work_.data() + p * n;
            const double along = dot(other, q, n);
            r_[p][j] += along;
            take_away(along, other, q, n);
        }
        if (j > 0) left = dot(q, q, n);
        if (left > little * before) break;
    }
    if (!(left > dependent * before)) return false;
    r_[j][j] = std::sqrt(left);
    const double inverse_length = 1.0 / r_[j][j];
    for (std::size_t i = 0; i < n; ++i) q[i] *= inverse_length;
    projection_[j] = dot(q, z, n);
    take_away(projection_[j], q, z, n);
    return true;
}

bool FormEvidence::fit(std::span<const double* const> columns, const UnknownsOfForm& form, LinearFit& result,
                       std::size_t known) {
    const std::size_t n = values_.size();
    const std::size_t k = columns.size();
    PLIMSOLL_EXPECT(k <= most_unknowns && k < n && known <= k);
    work_.resize((most_unknowns + 1) * n);
    double* z = work_.data() + most_unknowns * n;
    if (known == 0) {
        for (std::size_t i = 0; i < n; ++i) z[i] = root_weights_[i] * values_[i];
    }
    for (std::size_t j = known; j < k; ++j) {
        if (!orthogonalise(columns[j], j, j < form.coefficients)) return false;
    }
    const double rss = dot(z, z, n);
    double determinant = 1.0;
    for (std::size_t j = 0; j < k; ++j) determinant *= r_[j][j] * r_[j][j];
    // NOLINTBEGIN(*-member-init): filled as far as there are columns
    std::array<std::array<double, most_unknowns>, most_unknowns> inverse;
    std::array<double, most_unknowns> theta;
    // NOLINTEND(*-member-init)

    // Inverse of R, the coefficients and G = R^-1 R^-T in scaled units.
    for (std::size_t j = 0; j < k; ++j) {
        inverse[j][j] = 1.0 / r_[j][j];
        for (std::size_t i = j; i-- > 0;) {
            double sum = 0.0;
            for (std::size_t p = i + 1; p <= j; ++p) sum += r_[i][p] * inverse[p][j];
            inverse[i][j] = -sum / r_[i][i];
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
        for (std::size_t j = i; j < k; ++j) theta[i] += inverse[i][j] * projection_[j];
        for (std::size_t j = 0; j <= i; ++j) {
            double g = 0.0;
            for (std::size_t p = i; p < k; ++p) g += inverse[i][p] * inverse[j][p];
            result.covariance[packed(i, j)] = variance * g;
        }
    }
    if (!may_be_negative_) {
        if (form.has_constant && form.coefficients > 1) {
            const double deviation = std::sqrt(result.covariance[0]);
            const double share = std::clamp(theta[0], 0.0, 1.0) + part_of_deviation * deviation;
            result.log_evidence -= std::log((share + smallest_share) * constant_range);
        }
        result.log_evidence +=
            keep_positive(std::span(theta.data(), k), form.coefficients, result.covariance);
        // Only beside a term that is taken off can a share exceed all; the density falls with its square
        // then: values are seldom small differences of large terms.
        for (std::size_t i = 0; i < form.coefficients; ++i) {
            result.log_evidence -= 2.0 * std::log(std::max(theta[i], 1.0));
        }
    }
    for (std::size_t i = 0; i < k; ++i) {
        result.coefficients[i] = theta[i] * scale_[i];
        for (std::size_t j = 0; j <= i; ++j) result.covariance[packed(i, j)] *= scale_[i] * scale_[j];
    }
    return true;
}

}  // namespace plimsoll::model::detail
