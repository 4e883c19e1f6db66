#include "plimsoll/numeric/robust_deviation.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::numeric {

double robust_deviation(std::span<const double> values) {
    constexpr double of_many = 1.4826;  // deviation of a normal distribution over its median distance
    constexpr std::array<double, 8> of_few{1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};  // from 2
    if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    const double median = summarize(values).median;
    std::vector<double> distances;
    for (const double value : values) distances.push_back(std::abs(value - median));
    const auto n = static_cast<double>(values.size());
    const double factor = values.size() - 2 < of_few.size() ? of_few[values.size() - 2] : n / (n - 0.8);
    return factor * of_many * summarize(std::span<double>(distances)).median;
}

}  // namespace plimsoll::numeric
