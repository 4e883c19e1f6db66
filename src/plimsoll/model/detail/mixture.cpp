#include "plimsoll/model/detail/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

/// A mixture's distribution function, density and the density's derivative at a value.
struct Distribution {
    double share = 0.0;
    double density = 0.0;
    double slope = 0.0;
};

Distribution distribution_at(std::span<const Part> parts, double value) {
    Distribution result;
    for (const Part& part : parts) {
        const double z = (value - part.mean) / part.deviation;
        if (z > 9.0) {
            result.share += part.weight;
        } else if (z > -9.0) {
            result.share += part.weight * numeric::normal_cdf(z);
            const double density = part.weight * numeric::normal_density(z) / part.deviation;
            result.density += density;
            result.slope -= density * z / part.deviation;
        }
    }
    return result;
}

/// Halfway between two limits, in orders of magnitude where they lie that far apart.
double middle_of(double low, double high) {
    if (low > 0.0 && high > 4.0 * low) return std::sqrt(low) * std::sqrt(high);
    if (high < 0.0 && low < 4.0 * high) return -std::sqrt(-low) * std::sqrt(-high);
    return std::midpoint(low, high);
}

}  // namespace

double quantile(std::span<const Part> parts, double share, double z) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double least_deviation = low;
    for (const Part& part : parts) {  // the mixture's quantile lies between those of its parts
        low = std::min(low, part.mean + z * part.deviation);
        high = std::max(high, part.mean + z * part.deviation);
        least_deviation = std::min(least_deviation, part.deviation);
    }
    constexpr int most_steps = 200;
    constexpr double enough = 1e-10;
    constexpr double last_step = 1e-3;  // of the narrowest part, after which its cube is left
    double value = parts.front().mean + z * parts.front().deviation;
    double last_width = std::numeric_limits<double>::infinity();
    for (int i = 0; i < most_steps; ++i) {
        const Distribution at = distribution_at(parts, value);
        (at.share < share ? low : high) = value;
        const double tolerance = std::max(enough * std::abs(value), 1e-7 * least_deviation);
        if (high - low <= tolerance) break;
        const double newton = (share - at.share) / at.density;
        const double step = newton / std::clamp(1.0 + 0.5 * newton * at.slope / at.density, 0.5, 2.0);
        const double next = value + step;
        const bool is_slow = i % 4 == 3 && high - low > 0.5 * last_width;
        if (i % 4 == 3) last_width = high - low;
        if (!(next > low && next < high) || is_slow) {
            value = middle_of(low, high);
            continue;
        }
        value = next;
        if (std::abs(step) <= std::max(tolerance, last_step * least_deviation)) break;
    }
    return value;
}

}  // namespace plimsoll::model
