#include "plimsoll/training/region_values.hpp"

#include <algorithm>
#include <cmath>

#include "plimsoll/model/predictive.hpp"
#include "plimsoll/numeric/distribution.hpp"
#include "plimsoll/numeric/summary.hpp"

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

RegionValues::RegionValues(const model::FitDocument& models, const experiment::Experiment* measurements,
                           double coverage)
    : coverage_(coverage) {
    for (const model::RegionModel& m : models.models) {
        if (m.status == model::Status::ok) models_.emplace(Key(m.region, m.metric), m);
    }
    if (measurements == nullptr) return;
    for (const experiment::Series& series : measurements->series) {
        auto& values = measured_[{measurements->region(series).path, measurements->metric(series).name}];
        for (const experiment::Measurement& m : series.measurements) {
            const auto point = measurements->point(m.point);
            std::vector<double> means = experiment::repetition_means(series, m);
            if (means.empty()) means.push_back(m.summary.mean);
            values.emplace_back(std::vector<double>(point.begin(), point.end()), mean_of(means, coverage));
        }
    }
}

std::optional<Estimate> RegionValues::at(std::string_view region, std::string_view metric,
                                         const std::vector<double>& point) const {
    const Key key(region, metric);
    if (const auto found = models_.find(key); found != models_.end())
        return model::predicted(found->second.posterior, found->second.function, point, coverage_);
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
    return found == models_.end() ? nullptr : &found->second;
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
