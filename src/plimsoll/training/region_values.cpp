#include "plimsoll/training/region_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/units.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/numeric/distribution.hpp"
#include "plimsoll/numeric/summary.hpp"
#include "plimsoll/training/measurements.hpp"

namespace plimsoll::training {

Estimate mean_of(const std::vector<double>& values, double coverage) {
    const numeric::Summary summary = numeric::summarize(std::span<const double>(values));
    const double mean = summary.mean;
    if (values.size() < 2 || summary.deviation == 0.0) return {.value = mean, .low = mean, .high = mean};
    const auto degrees = static_cast<double>(values.size() - 1);
    const double half =
        numeric::student_limit(1.0 - coverage, degrees) * summary.deviation / std::sqrt(degrees);
    return {.value = mean, .low = mean - half, .high = mean + half};
}

double factor_of_unit(std::string_view region, std::string_view metric, std::string_view unit) {
    const std::string_view base = metric == time_metric ? "s" : metric == bytes_metric ? "B" : "";
    if (base.empty() || unit.empty()) return 1.0;
    if (const auto factor = experiment::unit_factor(unit, base)) return *factor;
    throw Error(ErrorKind::input, fmt::format("'{}' of '{}' is in '{}'", metric, region, unit),
                base == "s" ? "give the time in s, or in another unit of time"
                            : "give it in B, or in another unit of bytes");
}

RegionValues::RegionValues(const model::FitDocument& models, const experiment::Experiment* measurements,
                           double coverage)
    : coverage_(coverage) {
    for (const model::RegionModel& m : models.models) {
        if (m.status != model::Status::ok) continue;
        models_.emplace(Key(m.region, m.metric),
                        Scaled{.model = m, .unit = factor_of_unit(m.region, m.metric, m.unit)});
    }
    if (measurements == nullptr) return;
    for (const experiment::Series& series : measurements->series) {
        const std::string& path = measurements->region(series).path;
        const experiment::Metric& metric = measurements->metric(series);
        const double unit = factor_of_unit(path, metric.name, metric.unit);
        auto& values = measured_[{path, metric.name}];
        for (const experiment::Measurement& m : series.measurements) {
            const auto point = measurements->point(m.point);
            std::vector<double> means = experiment::repetition_means(series, m);
            if (means.empty()) means.push_back(m.summary.mean);
            for (double& mean : means) mean *= unit;
            values.emplace_back(std::vector<double>(point.begin(), point.end()), mean_of(means, coverage));
        }
    }
}

std::optional<Estimate> RegionValues::at(std::string_view region, std::string_view metric,
                                         const std::vector<double>& point) const {
    const Key key(region, metric);
    if (const auto found = models_.find(key); found != models_.end()) {
        const auto& [model, unit] = found->second;
        const Estimate e = model::predicted(model.posterior, model.function, point, coverage_);
        return Estimate{.value = unit * e.value, .low = unit * e.low, .high = unit * e.high};
    }
    const auto found = measured_.find(key);
    if (found == measured_.end()) return std::nullopt;
    const auto same = std::find_if(found->second.begin(), found->second.end(),
                                   [&](const auto& entry) { return entry.first == point; });
    return same == found->second.end() ? std::nullopt : std::optional(same->second);
}

bool RegionValues::has(std::string_view region, std::string_view metric) const {
    return has_model(region, metric) || measured_.contains(Key(region, metric));
}

const model::RegionModel* RegionValues::model(std::string_view region, std::string_view metric) const {
    const auto found = models_.find(Key(region, metric));
    return found == models_.end() ? nullptr : &found->second.model;
}

bool RegionValues::has_model(std::string_view region, std::string_view metric) const {
    return model(region, metric) != nullptr;
}

std::vector<std::vector<double>> RegionValues::measured_points(std::string_view region,
                                                               std::string_view metric) const {
    std::vector<std::vector<double>> points;
    if (const auto found = measured_.find(Key(region, metric)); found != measured_.end()) {
        for (const auto& [point, estimate] : found->second) points.push_back(point);
    }
    return points;
}

}  // namespace plimsoll::training
