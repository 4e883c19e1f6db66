#include "plimsoll/numeric/distribution.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "plimsoll/core/error.hpp"

namespace plimsoll::numeric {

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double log_gamma(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);
}

double normal_quantile(double p) {
    PLIMSOLL_EXPECT(p > 0.0 && p < 1.0);
    if (p > 0.5) return -normal_quantile(1.0 - p);
    double low = -39.0;  // the distribution function underflows below
    double high = 0.0;
    for (int i = 0; i < 12; ++i) {
        const double middle = 0.5 * (low + high);
        (normal_cdf(middle) < p ? low : high) = middle;
    }
    double x = 0.5 * (low + high);
    for (int i = 0; i < 4; ++i) {
        // Newton on the logarithm, which is concave: it converges from either side.
        const double cdf = normal_cdf(x);
        x -= std::log(cdf / p) * cdf / normal_density(x);
    }
    return x;
}

double student_quantile(double p, double degrees_of_freedom) {
    return student_of_normal_quantile(normal_quantile(p), degrees_of_freedom);
}

double student_of_normal_quantile(double z, double degrees_of_freedom) {
    PLIMSOLL_EXPECT(degrees_of_freedom >= 2.0);
    const double s = z * z;
    const double inverse = 1.0 / degrees_of_freedom;
    const double first = z * (s + 1.0) / 4.0;
    const double second = z * ((5.0 * s + 16.0) * s + 3.0) / 96.0;
    const double third = z * (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0;
    const double fourth = z * ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0;
    return z + inverse * (first + inverse * (second + inverse * (third + inverse * fourth)));
}

namespace {

/// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double x, double a, double b) {
    constexpr double tiny = 1e-300;
    constexpr double enough = 1e-15;
    constexpr int most_steps = 500;
    const auto away_from_zero = [&](double value) { return std::abs(value) < tiny ? tiny : value; };
    double c = 1.0;
    double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    double fraction = d;
    for (int m = 1; m <= most_steps; ++m) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        fraction *= d * c;
        if (std::abs(d * c - 1.0) < enough) break;
    }
    return fraction;
}

/// The regularised incomplete beta function.
double incomplete_beta(double x, double a, double b) {
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    const double front =
        std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
    // The fraction converges fast below the mean, and the function is symmetric.
    if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(x, a, b) / a;
    return 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

}  // namespace

double student_outside(double t, double degrees_of_freedom) {
    PLIMSOLL_EXPECT(degrees_of_freedom > 0.0);
    const double square = t * t;
    if (!(square < std::numeric_limits<double>::infinity())) return 0.0;
    constexpr double as_normal = 1e7;  // off by less than 1 / (4 degrees), and the gamma functions cancel out
    if (degrees_of_freedom > as_normal) return 2.0 * normal_cdf(-std::abs(t));
    return incomplete_beta(degrees_of_freedom / (degrees_of_freedom + square), 0.5 * degrees_of_freedom, 0.5);
}

double student_limit(double share, double degrees_of_freedom) {
    PLIMSOLL_EXPECT(share > 0.0 && share < 1.0);
    double low = 0.0;
    double high = 1.0;
    while (student_outside(high, degrees_of_freedom) > share && high < 1e150) high *= 2.0;
    constexpr int steps = 60;
    for (int i = 0; i < steps; ++i) {
        const double middle = 0.5 * (low + high);
        (student_outside(middle, degrees_of_freedom) > share ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace plimsoll::numeric
