#include "plimsoll/numeric/distribution.hpp"

#include <cmath>
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

}  // namespace plimsoll::numeric
