#include "plimsoll/model/predictive.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

using Slice = Predictive::Slice;

constexpr double width = 0.25;  // of a slice, in standard deviations of a normal distribution
constexpr int slices_a_side = 16;

/// A slice's weight, and the probability beyond its middle, counted from the median.
struct Cut {
    double weight;
    double tail;
};
Cut cut(int i) {
    const double begin = width * i;
    const bool is_last = i + 1 == slices_a_side;
    return {.weight = numeric::normal_cdf(-begin) - (is_last ? 0.0 : numeric::normal_cdf(-begin - width)),
            .tail = numeric::normal_cdf(-begin - 0.5 * width)};
}

void sort_by_value(std::vector<Slice>& slices) {
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.value < b.value; });
}

/// The same distribution by as many slices as `predictive` has.
Predictive sliced_anew(const Predictive& many) {
    Predictive result;
    for (int i = slices_a_side; i-- > 0;)
        result.slices.push_back({.value = many.quantile(cut(i).tail), .weight = cut(i).weight});
    for (int i = 0; i < slices_a_side; ++i)
        result.slices.push_back({.value = many.quantile(1.0 - cut(i).tail), .weight = cut(i).weight});
    return result;
}

Predictive sum_of_two(const Predictive& a, const Predictive& b) {
    Predictive result;
    result.slices.reserve(a.slices.size() * b.slices.size());
    for (const Slice& first : a.slices) {
        for (const Slice& second : b.slices)
            result.slices.push_back(
                {.value = first.value + second.value, .weight = first.weight * second.weight});
    }
    if (a.slices.size() == 1 || b.slices.size() == 1) return result;  // moved, not spread
    sort_by_value(result.slices);
    return sliced_anew(result);
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
    // The weights sum to one up to rounding alone.
    return std::min(below + 0.5 * slices[i].weight + part * 0.5 * (slices[i].weight + slices[i + 1].weight),
                    1.0);
}

double Predictive::quantile(double share) const {
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

Predictive predictive(const Posterior& posterior, const Function& function, std::span<const double> point) {
    Predictive result;
    if (posterior.forms.empty()) {
        const double value = function(point);
        if (std::isfinite(value)) result.slices.push_back({.value = value, .weight = 1.0});
        return result;
    }
    std::vector<Slice> lower;
    for (int i = 0; i < slices_a_side; ++i) {
        const Cut c = cut(i);
        const Estimate e = estimate(posterior, point, 1.0 - 2.0 * c.tail);
        if (!std::isfinite(e.low) || !std::isfinite(e.high)) return {};
        lower.push_back({.value = e.low, .weight = c.weight});
        result.slices.push_back({.value = e.high, .weight = c.weight});
    }
    result.slices.insert(result.slices.end(), lower.begin(), lower.end());
    sort_by_value(result.slices);
    return result;
}

Predictive sum(std::vector<Predictive> values) {
    if (values.empty()) return {.slices = {{.value = 0.0, .weight = 1.0}}};
    for (const Predictive& value : values) {
        if (value.slices.empty()) return {};
    }
    while (values.size() > 1) {
        for (std::size_t i = 0; i + 1 < values.size(); i += 2)
            values[i / 2] = sum_of_two(values[i], values[i + 1]);
        if (values.size() % 2 == 1) values[values.size() / 2] = std::move(values.back());
        values.resize((values.size() + 1) / 2);
    }
    return std::move(values.front());
}

Ratio ratio(const Predictive& numerator, const Predictive& denominator, double coverage) {
    PLIMSOLL_EXPECT(coverage > 0.0 && coverage < 1.0);
    Ratio result{.estimate = {}, .above_one = std::numeric_limits<double>::quiet_NaN(), .predictive = {}};
    if (numerator.slices.empty() || denominator.slices.empty()) return result;
    double larger = 0.0;
    std::vector<Slice> ratios;
    ratios.reserve(numerator.slices.size() * denominator.slices.size());
    double below_zero = 0.0;
    for (const Slice& above : numerator.slices) {
        for (const Slice& below : denominator.slices) {
            const double weight = above.weight * below.weight;
            if (above.value > below.value) larger += weight;
            if (above.value == below.value) larger += 0.5 * weight;
            if (above.value < 0.0 || below.value <= 0.0) {
                below_zero += weight;
            } else {
                ratios.push_back({.value = above.value / below.value, .weight = weight});
            }
        }
    }
    result.above_one = std::min(larger, 1.0);  // a thousand weights sum to one up to rounding alone
    const double tail = 0.5 * (1.0 - coverage);
    if (below_zero >= tail) return result;  // the interval would have no end
    sort_by_value(ratios);
    for (Slice& slice : ratios) slice.weight /= 1.0 - below_zero;
    result.predictive.slices = std::move(ratios);
    const Predictive& values = result.predictive;
    result.estimate = {
        .value = values.quantile(0.5), .low = values.quantile(tail), .high = values.quantile(1.0 - tail)};
    return result;
}

}  // namespace plimsoll::model
