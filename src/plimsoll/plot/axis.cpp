#include "plimsoll/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plimsoll/core/error.hpp"

namespace plimsoll::plot {

namespace {

constexpr double rounding = 1e-9;  // of a step, or of a logarithm

std::vector<double> linear_ticks(double low, double high, std::size_t most) {
    const double least = (high - low) / static_cast<double>(most);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power < least * (1.0 - rounding)) continue;
        step = factor * power;
        break;
    }
    std::vector<double> ticks;
    for (double i = std::ceil(low / step - rounding); i * step <= high + rounding * step; i += 1.0)
        ticks.push_back(i * step + 0.0);        // no zero below zero
    if (ticks.size() > most) ticks.pop_back();  // both ends fell on the grid
    return ticks;
}

/// Powers of ten and, where asked for, 2 and 5 times these.
std::vector<double> decades(double low, double high, int every, bool with_parts) {
    std::vector<double> ticks;
    const auto first = static_cast<int>(std::floor(std::log10(low) + rounding));
    const auto last = static_cast<int>(std::floor(std::log10(high) + rounding));
    for (int power = first; power <= last; ++power) {
        if (power % every != 0) continue;
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (factor > 1.0 && !with_parts) break;
            const double tick = factor * std::pow(10.0, power);
            if (tick >= low * (1.0 - rounding) && tick <= high * (1.0 + rounding)) ticks.push_back(tick);
        }
    }
    return ticks;
}

}  // namespace

double place(const Axis& axis, double value) {
    if (axis.scale == Scale::linear) return (value - axis.low) / (axis.high - axis.low);
    if (!(value > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

double value_at(const Axis& axis, double place) {
    if (axis.scale == Scale::linear) return axis.low + place * (axis.high - axis.low);
    return axis.low * std::pow(axis.high / axis.low, place);
}

std::vector<double> round_ticks(double low, double high, Scale scale, std::size_t most) {
    PLIMSOLL_EXPECT(low < high && most >= 2 && (scale == Scale::linear || low > 0.0));
    constexpr double decade = 10.0;
    if (scale == Scale::linear || high < decade * low) return linear_ticks(low, high, most);
    std::vector<double> ticks = decades(low, high, 1, true);
    for (int every = 1; ticks.size() > most; ++every) ticks = decades(low, high, every, false);
    return ticks;
}

std::vector<double> spread_ticks(const Axis& axis, std::span<const double> candidates, double apart) {
    std::vector<double> kept;
    const auto is_free = [&](double value) {
        return std::all_of(kept.begin(), kept.end(), [&](double other) {
            return std::abs(place(axis, value) - place(axis, other)) >= apart * (1.0 - rounding);
        });
    };
    if (!candidates.empty()) kept.push_back(candidates.back());
    for (const double value : candidates) {
        if (is_free(value)) kept.push_back(value);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

Scale usual_scale(double smallest, double largest) {
    constexpr double wide = 8.0;
    return smallest > 0.0 && largest > wide * smallest ? Scale::logarithmic : Scale::linear;
}

std::string tick_text(double value) {
    constexpr double most_without_power = 1e6;
    if (std::abs(value) < most_without_power && value == std::round(value))
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value);
}

}  // namespace plimsoll::plot
