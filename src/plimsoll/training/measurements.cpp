#include "plimsoll/training/measurements.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/experiment/units.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::training {

namespace {

using experiment::Experiment;
using experiment::Measurement;
using experiment::Series;

bool is_of_interest(std::string_view region, const experiment::Metric& measured) {
    const std::string_view metric = measured.name;
    // Memory that a step takes, for those who look for where it fits.
    if (region == step_region && experiment::unit_factor(measured.unit, "B")) return true;
    constexpr std::array regions{step_region,        validation_region, epoch_region, first_epoch_region,
                                 computation_region, exposed_region,    idle_region};
    if (metric == time_metric && std::find(regions.begin(), regions.end(), region) != regions.end())
        return true;
    return region.starts_with(collective_prefix) &&
           (metric == time_metric || metric == bytes_metric || metric == visits_metric);
}

/// The largest value of each repetition, over processes; nothing where no repetition has several.
Series largest_of(const Series& series) {
    Series result{.metric = series.metric};
    bool any = false;
    for (const Measurement& m : series.measurements) {
        const auto values = series.values_of(m);
        Measurement& largest = result.measurements.emplace_back(m);
        largest.first_value = result.values.size();
        largest.first_repetition = 0;
        const auto locations = series.locations_of(m);
        if (locations.empty()) {
            result.values.insert(result.values.end(), values.begin(), values.end());
            continue;
        }
        largest.value_count = locations.size();
        auto begin = values.begin();
        for (const std::uint32_t count : locations) {
            any = any || count > 1;
            result.values.push_back(*std::max_element(begin, begin + count));
            begin += count;
        }
        largest.summary =
            numeric::summarize(std::span<const double>(result.values).subspan(largest.first_value));
    }
    if (!any) result.measurements.clear();
    return result;
}

const Measurement* at_point(const Series& series, experiment::PointId point) {
    const auto found = std::find_if(series.measurements.begin(), series.measurements.end(),
                                    [&](const Measurement& m) { return m.point == point; });
    return found == series.measurements.end() ? nullptr : &*found;
}

/// What is left of each value of a whole, without its parts; of points alone where all have as many values.
Series rest_of(const Series& whole, const Series& part, const Series& other) {
    Series rest{.metric = whole.metric, .locations = whole.locations};
    for (const Measurement& m : whole.measurements) {
        const Measurement* const a = at_point(part, m.point);
        const Measurement* const b = at_point(other, m.point);
        if (a == nullptr || b == nullptr || m.value_count == 0 || a->value_count != m.value_count ||
            b->value_count != m.value_count)
            continue;
        Measurement& left = rest.measurements.emplace_back(m);
        left.first_value = rest.values.size();
        for (std::size_t i = 0; i < m.value_count; ++i) {
            rest.values.push_back(
                std::max(0.0, whole.values_of(m)[i] - part.values_of(*a)[i] - other.values_of(*b)[i]));
        }
        left.summary = numeric::summarize(std::span<const double>(rest.values).subspan(left.first_value));
    }
    return rest;
}

void add(Experiment& experiment, std::string_view region, Series series) {
    if (series.measurements.empty()) return;
    series.region = static_cast<experiment::RegionId>(experiment.regions.size());
    experiment.regions.push_back({.path = std::string(region), .tags = {}});
    experiment.series.push_back(std::move(series));
}

}  // namespace

Experiment training_measurements(Experiment profiles) {
    std::erase_if(profiles.series, [&](const Series& series) {
        return !is_of_interest(profiles.region(series).path, profiles.metric(series));
    });
    const auto series_of = [&](std::string_view region) -> const Series* {
        const auto found =
            std::find_if(profiles.series.begin(), profiles.series.end(), [&](const Series& series) {
                return profiles.region(series).path == region && profiles.metric(series).name == time_metric;
            });
        return found == profiles.series.end() ? nullptr : &*found;
    };
    const Series* const step = series_of(step_region);
    const Series* const computation = series_of(computation_region);
    const Series* const exposed = series_of(exposed_region);
    if (computation == nullptr) return profiles;
    Series largest = largest_of(*computation);
    Series rest;
    if (step != nullptr && exposed != nullptr) rest = rest_of(*step, *computation, *exposed);
    add(profiles, largest_computation_region, std::move(largest));
    add(profiles, rest_region, std::move(rest));
    return profiles;
}

}  // namespace plimsoll::training
