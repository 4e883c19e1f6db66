#include "plimsoll/training/step_precision.hpp"

#include <algorithm>
#include <cmath>

#include "plimsoll/numeric/distribution.hpp"
#include "plimsoll/numeric/summary.hpp"
#include "plimsoll/training/measurements.hpp"
#include "plimsoll/training/region_values.hpp"

namespace plimsoll::training {

namespace {

double deviation_of(std::span<const double> values, double mean) {
    double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Half width of the interval of the mean of n steps.
double half_width(double deviation, double tau, double n, double coverage) {
    // Steps that depend on one another count for fewer.
    const double independent = std::max(2.0, n / tau);
    return numeric::student_limit(1.0 - coverage, independent - 1.0) * deviation / std::sqrt(n / tau);
}

/// The smallest number of steps whose interval is at most so wide.
std::size_t steps_for(double half, double deviation, double tau, double coverage) {
    constexpr std::size_t most = 1'000'000'000;
    std::size_t few = 1;
    std::size_t enough = 2;
    while (enough < most && half_width(deviation, tau, static_cast<double>(enough), coverage) > half) {
        few = enough;
        enough *= 2;
    }
    while (enough - few > 1) {
        const std::size_t middle = few + (enough - few) / 2;
        if (half_width(deviation, tau, static_cast<double>(middle), coverage) > half) {
            few = middle;
        } else {
            enough = middle;
        }
    }
    return enough;
}

}  // namespace

double autocorrelation_time(std::span<const double> values) {
    constexpr std::size_t fewest = 20;
    if (values.size() < fewest) return 1.0;
    const double mean = numeric::mean(values);
    const auto covariance = [&](std::size_t lag) {
        double sum = 0.0;
        for (std::size_t i = 0; i + lag < values.size(); ++i)
            sum += (values[i] - mean) * (values[i + lag] - mean);
        return sum;
    };
    const double variance = covariance(0);
    if (!(variance > 0.0)) return 1.0;
    // Pairs of lags (0, 1), (2, 3), ...; tau is twice their sum less one.
    double sum = 0.0;
    for (std::size_t lag = 0; lag + 1 < values.size() / 2; lag += 2) {
        const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
        if (!(pair > 0.0)) break;
        sum += pair;
    }
    return std::max(1.0, 2.0 * sum - 1.0);
}

std::vector<StepPrecision> step_precision(const experiment::Experiment& measurements, double coverage,
                                          double precision) {
    std::vector<StepPrecision> result;
    for (const experiment::Series& series : measurements.series) {
        if (measurements.region(series).path != step_region ||
            measurements.metric(series).name != time_metric)
            continue;
        const double unit = factor_of_unit(step_region, time_metric, measurements.metric(series).unit);
        for (const experiment::Measurement& m : series.measurements) {
            // As it is modelled: no process gets ahead of the others for long, and so their means are the
            // pace of all.
            std::vector<double> times = experiment::repetition_means(series, m);
            for (double& time : times) time *= unit;
            if (times.empty()) continue;
            const auto point = measurements.point(m.point);
            StepPrecision& found = result.emplace_back();
            found.at.assign(point.begin(), point.end());
            found.steps = times.size();
            found.mean = numeric::mean(times);
            if (times.size() < 2 || !(found.mean > 0.0)) continue;
            const double deviation = deviation_of(times, found.mean);
            found.autocorrelation_time = autocorrelation_time(times);
            found.half_width = half_width(deviation, found.autocorrelation_time,
                                          static_cast<double>(times.size()), coverage) /
                               found.mean;
            found.needed = steps_for(precision * found.mean, deviation, found.autocorrelation_time, coverage);
        }
    }
    return result;
}

}  // namespace plimsoll::training
