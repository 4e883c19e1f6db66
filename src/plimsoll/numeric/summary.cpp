#include "plimsoll/numeric/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::numeric {

double mean(std::span<const double> values) {
    if (values.empty()) return 0.0;
    double sum = 0.0;
    for (const double value : values) sum += value;
    const double result = sum / static_cast<double>(values.size());
    if (std::isfinite(result)) return result;
    // The sum of representable values overflowed: scale first.
    sum = 0.0;
    for (const double value : values) sum += value / static_cast<double>(values.size());
    return sum;
}

Summary summarize(std::span<double> values) {
    PLIMSOLL_EXPECT(!values.empty());
    const std::size_t n = values.size();
    Summary summary;
    summary.mean = mean(values);
    double squares = 0.0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.deviation = std::sqrt(squares / static_cast<double>(n));
    if (n <= 16) {
        std::sort(values.begin(), values.end());
        summary.minimum = values.front();
        summary.maximum = values.back();
        summary.median = n % 2 == 1 ? values[n / 2] : std::midpoint(values[n / 2 - 1], values[n / 2]);
        return summary;
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    summary.minimum = *least;
    summary.maximum = *most;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(values.begin(), middle, values.end());
    summary.median = n % 2 == 1 ? *middle : std::midpoint(*std::max_element(values.begin(), middle), *middle);
    return summary;
}

Summary summarize(std::span<const double> values) {
    std::array<double, 16> few{};
    if (values.size() <= few.size()) {
        std::copy(values.begin(), values.end(), few.begin());
        return summarize(std::span<double>(few.data(), values.size()));
    }
    std::vector<double> copy(values.begin(), values.end());
    return summarize(std::span<double>(copy));
}

}  // namespace plimsoll::numeric
