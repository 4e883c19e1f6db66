#include "plimsoll/model/detail/mixture_batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/model/detail/mixture.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

constexpr std::size_t width = MixtureBatch::width;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Row = std::array<double, width>;

/// The normal distribution and its density at equally spaced places, for Taylor series about the nearest:
/// right to 1e-13 everywhere, in a tenth of the time that the error function takes.
class NormalTable {
  public:
    static constexpr double limit = 9.0;  ///< beyond which the distribution is 0 or 1
    static constexpr double places_per_unit = 32.0;

    NormalTable() {
        for (std::size_t i = 0; i < places; ++i) {
            const double z = static_cast<double>(i) / places_per_unit - limit;
            below[i] = numeric::normal_cdf(z);
            density[i] = numeric::normal_density(z);
        }
    }

    static constexpr std::size_t places = 577;  // 2 * 9 * 32 + 1
    std::array<double, places> below{};
    std::array<double, places> density{};
};

const NormalTable& normal_table() {
    static const NormalTable table;
    return table;
}

/// Distribution function, density and the density's first and second derivatives of each mixture at a value
/// of its own.
struct Distributions {
    Row share;
    Row density;
    Row slope;
    Row bend;
};

/// Places of values in a part, in its deviations and as entries of the table.
PLIMSOLL_VECTORISED
void find_places(const double* mean, const double* inverse, const double* value, double* z, int* entry) {
    constexpr double limit = NormalTable::limit;
    constexpr double places = NormalTable::places_per_unit;
    constexpr double shift = limit + 0.5 / places;  // to the nearest entry
    for (std::size_t j = 0; j < width; ++j) {
        const double exact = (value[j] - mean[j]) * inverse[j];
        const double below = exact < limit ? exact : limit;
        z[j] = below > -limit ? below : -limit;
    }
    for (std::size_t j = 0; j < width; ++j) entry[j] = static_cast<int>((z[j] + shift) * places);
}

/// Adds a part's distribution at these places. `below` and `density` are the table's at the entries.
PLIMSOLL_VECTORISED
void add_part(const double* __restrict weight, const double* __restrict inverse, const double* __restrict z,
              const int* __restrict entry, const double* __restrict below, const double* __restrict density,
              double* __restrict share_sum, double* __restrict density_sum, double* __restrict slope_sum,
              double* __restrict bend_sum) {
    for (std::size_t j = 0; j < width; ++j) {
        const double z0 = entry[j] * (1.0 / NormalTable::places_per_unit) - NormalTable::limit;
        const double d = z[j] - z0;
        const double s = z0 * z0;
        // Hermite's polynomials of the place.
        const double h2 = s - 1.0;
        const double h3 = z0 * (s - 3.0);
        const double h4 = (s - 6.0) * s + 3.0;
        const double h5 = z0 * ((s - 10.0) * s + 15.0);
        const double series_below =
            1.0 + d * (-z0 / 2.0 + d * (h2 / 6.0 + d * (-h3 / 24.0 + d * (h4 / 120.0 - d * h5 / 720.0))));
        const double series =
            1.0 + d * (-z0 + d * (h2 / 2.0 + d * (-h3 / 6.0 + d * (h4 / 24.0 - d * h5 / 120.0))));
        const double of_value = weight[j] * inverse[j] * density[j] * series;
        share_sum[j] += weight[j] * (below[j] + density[j] * d * series_below);
        density_sum[j] += of_value;
        const double of_slope = of_value * inverse[j];
        slope_sum[j] -= of_slope * z[j];
        bend_sum[j] += of_slope * inverse[j] * (z[j] * z[j] - 1.0);
    }
}

Distributions distributions_at(const MixtureBatch& batch, const Row& values) {
    const NormalTable& table = normal_table();
    Distributions sums{};
    Row z;
    Row below;
    Row density;
    std::array<int, width> entry;
    for (std::size_t f = 0; f < batch.parts; ++f) {
        const double* const inverse = &batch.inverse[f * width];
        find_places(&batch.mean[f * width], inverse, values.data(), z.data(), entry.data());
        for (std::size_t j = 0; j < width; ++j) {
            below[j] = table.below[static_cast<std::size_t>(entry[j])];
            density[j] = table.density[static_cast<std::size_t>(entry[j])];
        }
        add_part(&batch.weight[f * width], inverse, z.data(), entry.data(), below.data(), density.data(),
                 sums.share.data(), sums.density.data(), sums.slope.data(), sums.bend.data());
    }
    return sums;
}

/// Limits of the quantiles, which lie between those of the parts, and the narrowest part of each mixture.
struct Bounds {
    Row low;
    Row high;
    Row narrowest;
};

PLIMSOLL_VECTORISED
void widen(const double* weight, const double* mean, const double* deviation, double z, Bounds& bounds) {
    for (std::size_t j = 0; j < width; ++j) {
        const double own = mean[j] + z * deviation[j];
        const bool counts = weight[j] > 0.0;
        bounds.low[j] = counts && own < bounds.low[j] ? own : bounds.low[j];
        bounds.high[j] = counts && own > bounds.high[j] ? own : bounds.high[j];
        bounds.narrowest[j] =
            counts && deviation[j] < bounds.narrowest[j] ? deviation[j] : bounds.narrowest[j];
    }
}

Bounds bounds_of(const MixtureBatch& batch, double z) {
    Bounds bounds{};
    bounds.low.fill(infinity);
    bounds.high.fill(-infinity);
    bounds.narrowest.fill(infinity);
    for (std::size_t f = 0; f < batch.parts; ++f)
        widen(&batch.weight[f * width], &batch.mean[f * width], &batch.deviation[f * width], z, bounds);
    return bounds;
}

/// The slow way, for one point.
double quantile_of(const MixtureBatch& batch, std::size_t j, double share, double z) {
    std::vector<Part> parts;
    for (std::size_t f = 0; f < batch.parts; ++f) {
        const std::size_t i = f * width + j;
        if (batch.weight[i] > 0.0)
            parts.push_back({.weight = batch.weight[i] / batch.total[j],
                             .mean = batch.mean[i],
                             .deviation = batch.deviation[i]});
    }
    return parts.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(parts, share, z);
}

/// The part that is densest at the value of a point: a step of it moves the share most.
QuantileHint hint_at(const MixtureBatch& batch, std::size_t j, double value) {
    QuantileHint hint;
    double most = -1.0;
    for (std::size_t f = 0; f < batch.parts; ++f) {
        const std::size_t i = f * width + j;
        if (!(batch.weight[i] > 0.0)) continue;
        const double z = (value - batch.mean[i]) / batch.deviation[i];
        // Instead of the density, whose exponential is slow: as good where one part stands out.
        const double size = batch.weight[i] / (batch.deviation[i] * (1.0 + z * z * z * z));
        if (!(size > most)) continue;
        most = size;
        hint = {.part = f, .deviations = z};
    }
    return hint;
}

}  // namespace

void MixtureBatch::resize(std::size_t parts_of_each) {
    parts = parts_of_each;
    weight.resize(parts * width);
    mean.resize(parts * width);
    deviation.resize(parts * width);
    inverse.resize(parts * width);
}

void quantiles(const MixtureBatch& batch, double share, double z, QuantileHint& hint,
               std::span<double> values) {
    constexpr int most_steps = 12;
    constexpr double enough = 1e-10;    // of the value, or of probability
    constexpr double last_step = 1e-3;  // of the narrowest part, after which its cube is left
    Bounds bounds = bounds_of(batch, z);
    Row value{};
    std::array<bool, width> is_done{};
    std::size_t left = 0;
    for (std::size_t j = 0; j < width; ++j) {
        is_done[j] = j >= batch.points || !(batch.total[j] > 0.0);
        if (is_done[j]) continue;
        ++left;
        const std::size_t i = hint.part * width + j;
        const double deviations = hint.deviations + static_cast<double>(j + 1) * hint.slope;
        const double first = batch.mean[i] + deviations * batch.deviation[i];
        const bool is_inside = first >= bounds.low[j] && first <= bounds.high[j];
        value[j] = is_inside ? first : bounds.low[j] + 0.5 * (bounds.high[j] - bounds.low[j]);
    }
    for (int step = 0; step < most_steps && left > 0; ++step) {
        const Distributions at = distributions_at(batch, value);
        for (std::size_t j = 0; j < batch.points; ++j) {
            if (is_done[j]) continue;
            const double target = share * batch.total[j];
            (at.share[j] < target ? bounds.low[j] : bounds.high[j]) = value[j];
            const double tolerance = std::max(enough * std::abs(value[j]), 1e-7 * bounds.narrowest[j]);
            if (bounds.high[j] - bounds.low[j] <= tolerance) {
                is_done[j] = true;
                --left;
                continue;
            }
            const double newton = (target - at.share[j]) / at.density[j];
            const double curve = at.slope[j] / at.density[j];
            const double change = newton / std::clamp(1.0 + 0.5 * newton * curve, 0.5, 2.0);
            const double next = value[j] + change;
            if (!(next > bounds.low[j] && next < bounds.high[j])) {
                value[j] = bounds.low[j] + 0.5 * (bounds.high[j] - bounds.low[j]);
                continue;
            }
            value[j] = next;
            const double size = std::abs(change);
            // What Halley's step leaves; to be trusted where the series of every part is.
            const double rest =
                std::abs(3.0 * curve * curve - 2.0 * at.bend[j] / at.density[j]) / 12.0 * size * size * size;
            const double of_probability = enough * batch.total[j] / at.density[j];
            const bool is_small = size <= bounds.narrowest[j] && rest <= std::max(tolerance, of_probability);
            if (!is_small && size > std::max(tolerance, last_step * bounds.narrowest[j])) continue;
            is_done[j] = true;
            --left;
        }
    }
    for (std::size_t j = 0; j < batch.points; ++j) {
        const bool has_none = !(batch.total[j] > 0.0);
        values[j] = has_none     ? std::numeric_limits<double>::quiet_NaN()
                    : is_done[j] ? value[j]
                                 : quantile_of(batch, j, share, z);
    }
    const std::size_t last = batch.points - 1;
    if (!(batch.total[last] > 0.0)) return;
    hint = hint_at(batch, last, values[last]);
    const std::size_t before = last / 2;
    const std::size_t i = hint.part * width + before;
    if (before == last || !(batch.weight[i] > 0.0)) return;
    const double deviations = (values[before] - batch.mean[i]) / batch.deviation[i];
    hint.slope = (hint.deviations - deviations) / static_cast<double>(last - before);
}

}  // namespace plimsoll::model
