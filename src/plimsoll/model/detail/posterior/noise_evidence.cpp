#include "plimsoll/model/detail/posterior/noise_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "plimsoll/model/fit.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

// Relative variance below which differences are rounding, not noise: seven digits.
constexpr double smallest_variance = 1e-14;
// Prior probability that the repetitions of a point follow on one another.
constexpr double drift_prior = 0.2;
// What a repetition's distance from the median must exceed for it to be an outlier: in robust deviations, and
// relative.
constexpr double outlier_deviations = 10.0;
constexpr double outlier_distance = 0.3;

/// Sums over the points with repetitions, relative to each point's value.
struct Scatter {
    double within = 0.0;      ///< squared deviations from the mean
    double successive = 0.0;  ///< squared differences of neighbours
    double freedom = 0.0;
    // Of the points whose repetitions differ: equal ones do not tell whether they follow on one another.
    std::size_t differing = 0;
    double differing_freedom = 0.0;
    double log_repetitions = 0.0;
    bool in_order = true;  ///< every value is known
};

void add_scatter(std::span<const double> repetitions, Scatter& scatter) {
    const double mean = numeric::mean(repetitions);
    if (mean == 0.0) return;
    const auto freedom = static_cast<double>(repetitions.size() - 1);
    scatter.freedom += freedom;
    const auto [least, most] = std::ranges::minmax(repetitions);
    if (least == most) return;
    ++scatter.differing;
    scatter.differing_freedom += freedom;
    scatter.log_repetitions += std::log(static_cast<double>(repetitions.size()));
    for (std::size_t r = 0; r < repetitions.size(); ++r) {
        const double deviation = (repetitions[r] - mean) / mean;
        scatter.within += deviation * deviation;
        if (r == 0) continue;
        const double step = (repetitions[r] - repetitions[r - 1]) / mean;
        scatter.successive += step * step;
    }
}

/// How far from its median a repetition may lie, relative, from the median of all such distances; infinite
/// where no point has three repetitions.
double outlier_limit(const experiment::Series& series) {
    std::vector<double> distances;
    std::vector<double> repetitions;
    for (const experiment::Measurement& m : series.measurements) {
        if (m.repetitions < 3) continue;
        repetition_means(series, m, repetitions);
        if (repetitions.size() < 3) continue;
        const double median = numeric::summarize(std::span<const double>(repetitions)).median;
        if (median == 0.0) continue;
        for (const double value : repetitions) distances.push_back(std::abs(value / median - 1.0));
    }
    if (distances.empty()) return std::numeric_limits<double>::infinity();
    constexpr double normal = 1.4826;  // deviation of a normal distribution over its median distance
    const double typical = normal * numeric::summarize(std::span<double>(distances)).median;
    return std::max(outlier_deviations * typical, outlier_distance);
}

/// Takes the outliers of a point away from its repetitions, and tells of them.
void take_outliers(std::size_t point, double limit, std::vector<double>& repetitions,
                   std::vector<Outlier>& outliers) {
    if (repetitions.size() < 3) return;
    const double median = numeric::summarize(std::span<const double>(repetitions)).median;
    if (median == 0.0) return;
    const auto is_outlier = [&](double value) { return std::abs(value / median - 1.0) > limit; };
    const auto count = std::count_if(repetitions.begin(), repetitions.end(), is_outlier);
    if (count == 0 || 3 * static_cast<std::size_t>(count) > repetitions.size()) return;
    for (const double value : repetitions) {
        if (is_outlier(value)) outliers.push_back({.point = point, .value = value, .median = median});
    }
    std::erase_if(repetitions, is_outlier);
}

std::vector<NoisePrior> guesses_without_repetitions() {
    std::vector<NoisePrior> priors;
    for (const double deviation : {1e-4, 1e-3, 0.01, 0.05, 0.2}) {
        priors.push_back(
            {.log_weight = std::log(0.2), .degrees_of_freedom = 2.0, .variance = deviation * deviation});
    }
    return priors;
}

}  // namespace

NoiseEvidence read_noise(const experiment::Series& series, Statistic statistic) {
    NoiseEvidence evidence;
    const std::size_t points = series.measurements.size();
    evidence.values.reserve(points);
    evidence.runs.assign(points, 1.0);
    Scatter scatter;
    std::vector<double> repetitions;
    double all_runs = 0.0;
    const double limit = outlier_limit(series);
    for (std::size_t i = 0; i < points; ++i) {
        const experiment::Measurement& m = series.measurements[i];
        evidence.values.push_back(value_of(m, statistic));
        evidence.runs[i] = std::max<double>(m.repetitions, 1.0);
        if (m.repetitions >= 2) {
            repetition_means(series, m, repetitions);
            const std::size_t before = evidence.outliers.size();
            if (statistic != Statistic::mean_of_all) take_outliers(i, limit, repetitions, evidence.outliers);
            if (evidence.outliers.size() > before) {
                evidence.runs[i] = static_cast<double>(repetitions.size());
                if (statistic == Statistic::mean) evidence.values[i] = numeric::mean(repetitions);
            }
        }
        all_runs += evidence.runs[i];
        if (m.repetitions < 2) continue;
        if (repetitions.size() >= 2) {
            add_scatter(repetitions, scatter);
        } else if (m.complete_summary && m.summary.mean != 0.0) {
            const double relative = m.summary.deviation / m.summary.mean;
            scatter.within += relative * relative * static_cast<double>(m.repetitions);
            scatter.freedom += static_cast<double>(m.repetitions - 1);
            scatter.in_order = false;
        }
    }
    const double mean_runs = all_runs / static_cast<double>(points);
    for (double& runs : evidence.runs) runs /= mean_runs;
    if (scatter.freedom < 1.0) {
        evidence.run_deviation = std::numeric_limits<double>::quiet_NaN();
        evidence.priors = guesses_without_repetitions();
        return evidence;
    }
    const double variance = scatter.within / scatter.freedom;
    evidence.run_deviation = std::sqrt(variance);
    double of_value = variance / mean_runs;
    if (statistic == Statistic::median) of_value *= std::numbers::pi / 2.0;
    if (statistic == Statistic::minimum || statistic == Statistic::maximum) of_value = variance;

    const bool can_tell = scatter.in_order && statistic == Statistic::mean && scatter.within > 0.0 &&
                          scatter.successive > 0.0 && scatter.differing >= 2;
    if (can_tell) {
        const double for_drift =
            0.5 * scatter.differing_freedom * (std::log(scatter.within) - std::log(scatter.successive)) +
            0.5 * scatter.log_repetitions + std::log(drift_prior / (1.0 - drift_prior));
        evidence.drifts = for_drift > 0.0;
    }
    if (evidence.drifts) {
        for (std::size_t i = 0; i < points; ++i) {
            repetition_means(series, series.measurements[i], repetitions);
            std::vector<Outlier> known;
            take_outliers(i, limit, repetitions, known);
            if (!repetitions.empty()) evidence.values[i] = repetitions.front();
        }
        std::fill(evidence.runs.begin(), evidence.runs.end(), 1.0);
        of_value = scatter.successive / scatter.freedom;
        evidence.run_deviation = std::sqrt(of_value);
    }
    of_value = std::max(of_value, smallest_variance);
    evidence.priors = {
        {.log_weight = std::log(0.6), .degrees_of_freedom = scatter.freedom, .variance = of_value},
        {.log_weight = std::log(0.4), .degrees_of_freedom = 1.5, .variance = 3.0 * of_value}};
    return evidence;
}

}  // namespace plimsoll::model::detail
