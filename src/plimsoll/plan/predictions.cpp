#include "plimsoll/plan/predictions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::plan {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Sums of the parts' estimates at all points.
model::GridEstimates times_of(const Workload& workload, const model::Grid& grid, double coverage, int threads,
                              Progress& progress) {
    const std::size_t n = grid.size();
    model::GridEstimates sum;
    std::vector<double> point(grid.values.size());
    for (const Part& part : workload.time) {
        model::GridEstimates own = model::grid_estimates(part.model->posterior, part.model->function, grid,
                                                         coverage, threads, progress);
        for (std::size_t i = 0; i < n; ++i) {
            double times = part.unit;
            if (part.times) {
                grid.point(i, point);
                times *= part.times(point);
            }
            own.value[i] *= times;
            own.high[i] *= times;
        }
        if (sum.value.empty()) {
            sum = std::move(own);
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) {
            sum.value[i] += own.value[i];
            sum.high[i] += own.high[i];
        }
    }
    return sum;
}

/// Quantiles of a time in s at a point, rising, at the middles of as many equal shares of probability.
using Quantiles = std::array<double, 64>;
Quantiles quantiles_at(const Workload& workload, std::span<const double> point) {
    Quantiles quantiles{};
    const std::size_t n = quantiles.size();
    for (std::size_t i = 0; i < n / 2; ++i) {  // outwards from the middle
        const double coverage = (2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(n);
        const model::Estimate e = time_at(workload, point, coverage);
        quantiles[n / 2 - 1 - i] = e.low;
        quantiles[n / 2 + i] = e.high;
    }
    return quantiles;
}

/// Probability of at most so much, linear between quantiles.
double share_below(const Quantiles& quantiles, double bound) {
    const auto above = std::upper_bound(quantiles.begin(), quantiles.end(), bound);
    if (above == quantiles.begin()) return 0.0;
    if (above == quantiles.end()) return 1.0;
    const double low = *(above - 1);
    const double part = (bound - low) / (*above - low);
    return (static_cast<double>(above - quantiles.begin()) - 0.5 + part) /
           static_cast<double>(quantiles.size());
}

}  // namespace

Predictions predict(const Workload& workload, model::Grid grid, double confidence, int threads,
                    Progress& progress) {
    PLIMSOLL_EXPECT(confidence > 0.5 && confidence < 1.0 && !workload.time.empty());
    const double coverage = 2.0 * confidence - 1.0;  // its upper end is the quantile asked for
    const std::size_t n = grid.size();
    Predictions result;
    result.processes = workload.processes;
    model::GridEstimates times = times_of(workload, grid, coverage, threads, progress);
    for (std::size_t i = 0; i < n; ++i) {
        // What is not above zero is no time that a run can take.
        if (times.value[i] > 0.0 && std::isfinite(times.value[i]) && std::isfinite(times.high[i])) continue;
        times.value[i] = unknown;
        times.high[i] = unknown;
    }
    result.time = std::move(times.value);
    result.longest = std::move(times.high);

    model::Grid base = grid;
    base.values[workload.processes] = {workload.fewest};
    const std::vector<double> fewest = times_of(workload, base, coverage, threads, progress).value;
    result.efficiency.resize(n);
    // The grid is [before][processes][behind] as seen from this parameter, and the base [before][behind].
    std::size_t behind = 1;
    for (std::size_t k = workload.processes + 1; k < grid.values.size(); ++k) behind *= grid.values[k].size();
    const std::vector<double>& processes = grid.values[workload.processes];
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = i / behind;
        const double reference = fewest[row / processes.size() * behind + i % behind];
        const double share =
            workload.work == Work::in_all ? workload.fewest / processes[row % processes.size()] : 1.0;
        result.efficiency[i] = reference > 0.0 ? share * reference / result.time[i] : unknown;
    }
    result.memory_place = workload.memory_place;
    for (const Part& part : workload.memory) {
        const std::vector<double> high = model::grid_estimates(part.model->posterior, part.model->function,
                                                               grid, coverage, threads, progress)
                                             .high;
        result.memory.resize(n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            result.memory[i] = std::max(result.memory[i], part.unit * high[i]);
    }
    result.grid = std::move(grid);
    return result;
}

model::Estimate time_at(const Workload& workload, std::span<const double> point, double coverage) {
    model::Estimate sum{.value = 0.0, .low = 0.0, .high = 0.0};
    for (const Part& part : workload.time) {
        const model::Estimate own =
            model::predicted(part.model->posterior, part.model->function, point, coverage);
        const double times = part.unit * (part.times ? part.times(point) : 1.0);
        sum.value += times * own.value;
        sum.low += times * own.low;
        sum.high += times * own.high;
    }
    return sum;
}

double probability_within(const Workload& workload, std::span<const double> point, double seconds) {
    // The quantile at z deviations of a normal distribution rises with z.
    const auto quantile = [&](double z) {
        const double tail = numeric::normal_cdf(-std::abs(z));
        const model::Estimate e = time_at(workload, point, std::max(1.0 - 2.0 * tail, 1e-12));
        return z < 0.0 ? e.low : e.high;
    };
    constexpr double farthest = 6.0;
    double low = -farthest;
    double high = farthest;
    double below = seconds - quantile(low);
    double above = seconds - quantile(high);
    if (std::isnan(below) || std::isnan(above)) return unknown;
    if (above >= 0.0) return 1.0;
    if (below < 0.0) return 0.0;
    // Chords, where an end that stays counts half (the Illinois method), and every third time the middle.
    constexpr double enough = 1e-9;  // of z
    double last = farthest;
    int side = 0;  // which end moved last
    for (int i = 0; high - low > enough; ++i) {
        const double chord = low + (high - low) * below / (below - above);
        const bool is_inside = i % 3 != 2 && chord > low && chord < high;
        const double z = is_inside ? chord : 0.5 * (low + high);
        const double left = seconds - quantile(z);
        if (left >= 0.0) {
            low = z;
            below = left;
            above *= side > 0 ? 0.5 : 1.0;
            side = 1;
        } else {
            high = z;
            above = left;
            below *= side < 0 ? 0.5 : 1.0;
            side = -1;
        }
        if (left == 0.0 || std::abs(z - last) < enough) return numeric::normal_cdf(z);
        last = z;
    }
    return numeric::normal_cdf(low);
}

double probability_efficient(const Workload& workload, std::span<const double> point, double least) {
    PLIMSOLL_EXPECT(least > 0.0);
    const double processes = point[workload.processes];
    const double share = workload.work == Work::in_all ? workload.fewest / processes : 1.0;
    if (processes == workload.fewest) return least <= share ? 1.0 : 0.0;
    std::vector<double> fewest(point.begin(), point.end());
    fewest[workload.processes] = workload.fewest;
    const Quantiles few = quantiles_at(workload, fewest);
    const Quantiles many = quantiles_at(workload, point);
    // Not a number is no less than anything.
    if (!(few.front() > 0.0) || !(many.front() > 0.0) || !std::isfinite(few.back()) ||
        !std::isfinite(many.back()))
        return unknown;
    double probability = 0.0;
    for (const double time : few) probability += share_below(many, share * time / least);
    return probability / static_cast<double>(few.size());
}

}  // namespace plimsoll::plan
