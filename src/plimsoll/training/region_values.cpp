#include "plimsoll/training/region_values.hpp"

#include <algorithm>
#include <cmath>

#include "plimsoll/numeric/distribution.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::training {

Estimate mean_of(const std::vector<double>& values, double coverage) {
    const double mean = numeric::mean(values);
    if (values.size() < 2) return {.value = mean, .low = mean, .high = mean};
    const auto n = static_cast<double>(values.size());
    double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double error = std::sqrt(squares / (n - 1.0) / n);
    const double half = error > 0.0 ? numeric::student_limit(1.0 - coverage, n - 1.0) * error : 0.0;
    return {.value = mean, .low = mean - half, .high = mean + half};
}

Estimate estimate_at(model::FitDocument one, const std::vector<double>& point, double coverage) {
    model::predict(one, point, coverage);
    const model::Prediction& prediction = one.models.front().predictions.back();
    Estimate estimate{.value = prediction.value, .low = prediction.value, .high = prediction.value};
    if (prediction.interval) {
        estimate.low = prediction.interval->low;
        estimate.high = prediction.interval->high;
    }
    return estimate;
}

RegionValues::RegionValues(const model::FitDocument& models, const experiment::Experiment* measurements,
                           double coverage)
    : coverage_(coverage) {
    for (const model::RegionModel& m : models.models) {
        if (m.status != model::Status::ok) continue;
        model::FitDocument& one = models_[{m.region, m.metric}];
        one.parameters = models.parameters;
        one.models = {m};
        one.models.front().predictions.clear();
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
        return estimate_at(found->second, point, coverage_);
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
    return found == models_.end() ? nullptr : &found->second.models.front();
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
