#include "plimsoll/model/detail/posterior/axis_origins.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "plimsoll/numeric/rounding.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr std::size_t fewest_values = 4;  // of a parameter
constexpr std::size_t fewest_seen = 8;    // points to predict from
// Residual variance over that of the noise, from which forms do not follow the values: of nine points or more
// that they do follow, one set in a thousand has it.
constexpr double surprising = 3.0;

}  // namespace

AxisOrigins::AxisOrigins(std::span<const double> points, std::size_t parameters)
    : points_(points.begin(), points.end()), parameters_(parameters), axes_(parameters) {
    const std::size_t n = points.size() / parameters;
    for (std::size_t k = 0; k < parameters; ++k) {
        std::set<double> values;
        for (std::size_t i = 0; i < n; ++i) values.insert(points[i * parameters + k]);
        if (values.size() < fewest_values || !(*values.begin() > 0.0)) continue;
        Axis& axis = axes_[k];
        axis.largest = *values.rbegin();
        for (std::size_t i = 0; i < n; ++i)
            (points[i * parameters + k] < axis.largest ? axis.seen : axis.predicted).push_back(i);
        if (axis.seen.size() >= fewest_seen) axis.step = axis.largest / *std::next(values.rbegin());
    }
}

double AxisOrigins::excess(Axis& axis, const NoiseEvidence& noise, Positive positive) {
    if (!axis.search) {
        std::vector<double> points;
        for (const std::size_t i : axis.seen) {
            const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(i * parameters_);
            points.insert(points.end(), begin, begin + static_cast<std::ptrdiff_t>(parameters_));
        }
        axis.search = std::make_unique<PosteriorSearch>(points, parameters_);
    }
    NoiseEvidence seen = noise;
    seen.values.clear();
    seen.runs.clear();
    for (const std::size_t i : axis.seen) {
        seen.values.push_back(noise.values[i]);
        seen.runs.push_back(noise.runs[i]);
    }
    const Posterior before = axis.search->fit(seen, positive, PosteriorSearch::Effort::rough);
    std::vector<double> squares;
    for (const std::size_t i : axis.predicted) {
        const LogMoments moments =
            log_moments(before, std::span(points_).subspan(i * parameters_, parameters_));
        if (!std::isfinite(moments.mean)) return 0.0;
        const double error = moments.mean - std::log(noise.values[i]);
        squares.push_back(error * error - moments.variance - noise.priors.front().variance / noise.runs[i]);
    }
    // Where the other parameters are small, what no form follows may be most of the value.
    return std::max(0.0, numeric::summarize(std::span<double>(squares)).median);
}

void AxisOrigins::examine(const NoiseEvidence& noise, Positive positive, std::span<const double> fitted,
                          Posterior& posterior) {
    if (std::isnan(noise.run_deviation) || fitted.size() != noise.values.size()) return;
    double squares = 0.0;
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        if (!(noise.values[i] > 0.0) || !(fitted[i] > 0.0)) return;
        const double residual = std::log(noise.values[i] / fitted[i]);
        squares += residual * residual * noise.runs[i];
    }
    if (!(squares > surprising * noise.priors.front().variance * static_cast<double>(fitted.size()))) return;
    double most = 0.0;
    std::vector<double> largest;
    std::vector<double> step;
    for (Axis& axis : axes_) {
        const double square = axis.step > 1.0 ? excess(axis, noise, positive) : 0.0;
        most = std::max(most, square);
        largest.push_back(axis.largest);
        step.push_back(square > 0.0 ? numeric::round_to_digits(axis.step, 9) : 1.0);
    }
    if (most == 0.0) return;
    posterior.discrepancy = numeric::round_to_digits(std::sqrt(most), 9);
    posterior.largest = std::move(largest);
    posterior.step = std::move(step);
}

}  // namespace plimsoll::model::detail
