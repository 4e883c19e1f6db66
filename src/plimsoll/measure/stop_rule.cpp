#include "plimsoll/measure/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plimsoll/numeric/distribution.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::measure {

namespace {

constexpr double outside = 0.05;  // share of intervals that may miss

/// How many of the smallest, and of the largest, of n values the interval leaves out; n / 2 where all of them
/// would not do. Binomial probabilities of n trials of 1/2, which are those of a value below the median.
std::optional<std::size_t> left_out_at_each_end(std::size_t n) {
    const auto count = static_cast<double>(n);
    double below = 0.0;  // probability that at most k values lie below the median
    std::optional<std::size_t> most;
    for (std::size_t k = 0; 2 * k + 1 < n; ++k) {
        const auto j = static_cast<double>(k);
        below += std::exp(numeric::log_gamma(count + 1.0) - numeric::log_gamma(j + 1.0) -
                          numeric::log_gamma(count - j + 1.0) - count * std::log(2.0));
        if (below > outside / 2.0) break;
        most = k;
    }
    return most;
}

}  // namespace

double ConfidenceInterval::relative_half_width() const {
    const double half = 0.5 * (high - low);
    if (half == 0.0) return 0.0;
    return center == 0.0 ? std::numeric_limits<double>::infinity() : half / std::abs(center);
}

std::optional<ConfidenceInterval> confidence_interval(std::span<const double> values, Center center) {
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const std::span<const double> in_order = sorted;  // which a summary of a span to write to might not keep
    const numeric::Summary summary = sorted.empty() ? numeric::Summary{} : numeric::summarize(in_order);
    if (center == Center::median) {
        const auto left_out = left_out_at_each_end(sorted.size());
        if (!left_out) return std::nullopt;
        return ConfidenceInterval{.low = sorted[*left_out],
                                  .high = sorted[sorted.size() - 1 - *left_out],
                                  .center = summary.median};
    }
    if (sorted.size() < 3) return std::nullopt;
    const double degrees = static_cast<double>(sorted.size()) - 1.0;
    const double reach = numeric::student_limit(outside, degrees) * summary.deviation / std::sqrt(degrees);
    return ConfidenceInterval{
        .low = summary.mean - reach, .high = summary.mean + reach, .center = summary.mean};
}

}  // namespace plimsoll::measure
