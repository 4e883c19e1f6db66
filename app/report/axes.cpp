#include "app/report/axes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace plimsoll::app {

namespace {

/// Rounds to so many digits.
double rounded(double value, int digits) {
    if (value == 0.0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

void insert(std::vector<double>& stops, double value) {
    const auto place = std::lower_bound(stops.begin(), stops.end(), value);
    if (place == stops.end() || *place != value) stops.insert(place, value);
}

/// A round value about half way between two stops; empty where there is none.
std::optional<double> stop_between(double a, double b, bool is_logarithmic, bool is_whole) {
    constexpr double octave = 2.01;
    const double middle = rounded(is_logarithmic && b / a > octave ? std::sqrt(a * b) : 0.5 * (a + b), 3);
    const double stop = is_whole ? std::round(middle) : middle;
    return stop > a && stop < b ? std::optional(stop) : std::nullopt;
}

}  // namespace

std::vector<double> axis_stops(const AxisRequest& request) {
    const std::vector<double>& measured = request.measured;
    const double first = measured.front();
    const double last = measured.back();
    const bool is_whole = std::all_of(measured.begin(), measured.end(),
                                      [](double x) { return x == std::floor(x) && std::abs(x) < 1e15; });
    const bool is_logarithmic = first > 0.0;
    std::vector<double> stops;
    for (const double value : {first, last, request.target}) insert(stops, value);
    // Of many measured values those at equal distances in their list.
    const std::size_t room = request.most > stops.size() ? request.most - stops.size() : 0;
    const std::size_t kept = std::min(measured.size(), std::max<std::size_t>(room, 2));
    for (std::size_t i = 0; i < kept && kept > 1; ++i)
        insert(stops, measured[i * (measured.size() - 1) / (kept - 1)]);
    if (is_logarithmic && last > first) {
        for (double x = 2.0 * last; x <= request.furthest && stops.size() < request.most; x *= 2.0)
            insert(stops, x);
    }
    constexpr double narrow = 1.1;  // a further stop in a gap of this ratio shows nothing new
    while (stops.size() < request.most) {
        std::optional<double> best;
        double width = narrow;
        for (std::size_t i = 1; i < stops.size(); ++i) {
            const double gap = is_logarithmic ? stops[i] / stops[i - 1]
                                              : 1.0 + (stops[i] - stops[i - 1]) / (stops.back() - stops[0]);
            if (!(gap > width)) continue;
            const std::optional<double> middle =
                stop_between(stops[i - 1], stops[i], is_logarithmic, is_whole);
            if (!middle) continue;
            width = gap;
            best = middle;
        }
        if (!best) break;
        insert(stops, *best);
    }
    return stops;
}

}  // namespace plimsoll::app
