#include "plimsoll/model/predictive.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

using Slice = Predictive::Slice;

/// Value below which a share of the slices' weight lies. A slice's weight lies evenly about its middle.
double quantile(std::span<const Slice> slices, double share) {
    double below = 0.0;
    double last_middle = 0.0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const double middle = below + 0.5 * slices[i].weight;
        if (share <= middle) {
            if (i == 0 || middle <= last_middle) return slices[i].value;
            const double part = (share - last_middle) / (middle - last_middle);
            return slices[i - 1].value + part * (slices[i].value - slices[i - 1].value);
        }
        below += slices[i].weight;
        last_middle = middle;
    }
    return slices.back().value;
}

}  // namespace

Estimate predicted(const Posterior& posterior, const Function& function, std::span<const double> point,
                   double coverage) {
    if (!posterior.forms.empty()) return estimate(posterior, point, coverage);
    const double value = function(point);
    return {.value = value, .low = value, .high = value};
}

double Predictive::at_most(double bound) const {
    if (slices.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (bound < slices.front().value) return 0.0;
    if (bound >= slices.back().value) return 1.0;
    double below = 0.0;  // of slices that end before the one looked at
    std::size_t i = 0;
    for (; slices[i + 1].value <= bound; ++i) below += slices[i].weight;
    // A slice's weight lies evenly about its middle.
    const double part = (bound - slices[i].value) / (slices[i + 1].value - slices[i].value);
    return below + 0.5 * slices[i].weight + part * 0.5 * (slices[i].weight + slices[i + 1].weight);
}

Predictive predictive(const Posterior& posterior, const Function& function, std::span<const double> point) {
    Predictive result;
    if (posterior.forms.empty()) {
        const double value = function(point);
        if (std::isfinite(value)) result.slices.push_back({.value = value, .weight = 1.0});
        return result;
    }
    constexpr double width = 0.25;  // of a slice, in standard deviations of a normal distribution
    constexpr int slices_a_side = 16;
    std::vector<Slice> lower;
    for (int i = 0; i < slices_a_side; ++i) {
        const double begin = width * i;
        const bool is_last = i + 1 == slices_a_side;
        const double weight =
            numeric::normal_cdf(-begin) - (is_last ? 0.0 : numeric::normal_cdf(-begin - width));
        const double tail = numeric::normal_cdf(-begin - 0.5 * width);
        const Estimate e = estimate(posterior, point, 1.0 - 2.0 * tail);
        if (!std::isfinite(e.low) || !std::isfinite(e.high)) return {};
        lower.push_back({.value = e.low, .weight = weight});
        result.slices.push_back({.value = e.high, .weight = weight});
    }
    result.slices.insert(result.slices.end(), lower.begin(), lower.end());
    std::sort(result.slices.begin(), result.slices.end(),
              [](const Slice& a, const Slice& b) { return a.value < b.value; });
    return result;
}

Ratio ratio(const Predictive& numerator, const Predictive& denominator, double coverage) {
    PLIMSOLL_EXPECT(coverage > 0.0 && coverage < 1.0);
    Ratio result{.estimate = {}, .above_one = std::numeric_limits<double>::quiet_NaN()};
    if (numerator.slices.empty() || denominator.slices.empty()) return result;
    result.above_one = 0.0;
    std::vector<Slice> ratios;
    ratios.reserve(numerator.slices.size() * denominator.slices.size());
    double below_zero = 0.0;
    for (const Slice& above : numerator.slices) {
        for (const Slice& below : denominator.slices) {
            const double weight = above.weight * below.weight;
            if (above.value > below.value) result.above_one += weight;
            if (above.value == below.value) result.above_one += 0.5 * weight;
            if (above.value < 0.0 || below.value <= 0.0) {
                below_zero += weight;
            } else {
                ratios.push_back({.value = above.value / below.value, .weight = weight});
            }
        }
    }
    const double tail = 0.5 * (1.0 - coverage);
    if (below_zero >= tail) return result;  // the interval would have no end
    std::sort(ratios.begin(), ratios.end(), [](const Slice& a, const Slice& b) { return a.value < b.value; });
    for (Slice& slice : ratios) slice.weight /= 1.0 - below_zero;
    result.estimate = {
        .value = quantile(ratios, 0.5), .low = quantile(ratios, tail), .high = quantile(ratios, 1.0 - tail)};
    return result;
}

}  // namespace plimsoll::model
