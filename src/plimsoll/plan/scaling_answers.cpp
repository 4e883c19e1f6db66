#include "plimsoll/plan/scaling_answers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll::plan {

namespace {

constexpr double step = 1.05;

}  // namespace

double efficiency_at(const Workload& workload, std::span<const double> point) {
    constexpr double any_coverage = 0.9;  // medians hardly depend on it
    std::vector<double> fewest(point.begin(), point.end());
    fewest[workload.processes] = workload.fewest;
    const double share = workload.work == Work::in_all ? workload.fewest / point[workload.processes] : 1.0;
    return share * time_at(workload, fewest, any_coverage).value /
           time_at(workload, point, any_coverage).value;
}

std::optional<EfficientScale> largest_efficient(const Workload& workload, std::span<const double> point,
                                                double least, double most) {
    std::vector<double> at(point.begin(), point.end());
    const auto efficiency = [&](double processes) {
        at[workload.processes] = processes;
        return efficiency_at(workload, at);
    };
    const double last = std::floor(most);
    double best = 0.0;
    double beyond = 0.0;  // the first looked at after the best
    for (double p = std::ceil(workload.fewest); p <= last; p = std::max(p + 1.0, std::floor(step * p))) {
        if (efficiency(p) >= least) {
            best = p;
            beyond = 0.0;
        } else if (beyond == 0.0) {
            beyond = p;
        }
    }
    if (best == 0.0) return std::nullopt;
    if (beyond == 0.0 && best < last) {
        if (efficiency(last) >= least) {
            best = last;
        } else {
            beyond = last;
        }
    }
    while (beyond - best > 1.0) {
        const double middle = std::floor(0.5 * (best + beyond));
        (efficiency(middle) >= least ? best : beyond) = middle;
    }
    return EfficientScale{.processes = best, .efficiency = efficiency(best), .is_end = best == last};
}

std::optional<double> efficient_size(const Workload& workload, std::span<const double> point,
                                     std::size_t parameter, double least, double from, double to) {
    std::vector<double> at(point.begin(), point.end());
    const auto is_enough = [&](double size) {
        at[parameter] = size;
        return efficiency_at(workload, at) >= least;
    };
    double low = from;
    if (is_enough(low)) return low;
    constexpr double beginning = 1e-6;  // of the largest, where the smallest is no size that grows
    if (!(low > 0.0)) low = beginning * to;
    if (is_enough(low)) return low;
    double high = std::min(step * low, to);
    while (!is_enough(high)) {
        if (high >= to) return std::nullopt;
        low = high;
        high = std::min(step * high, to);
    }
    constexpr double enough = 1e-6;
    while (high - low > enough * high) {
        const double middle = 0.5 * (low + high);
        (is_enough(middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace plimsoll::plan
