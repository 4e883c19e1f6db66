#include "plimsoll/training/measurements.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::training {

namespace {

using experiment::Experiment;
using experiment::Measurement;
using experiment::Series;

bool is_of_interest(std::string_view region, std::string_view metric) {
    constexpr std::array regions{step_region,        validation_region,  epoch_region,
                                 first_epoch_region, computation_region, exposed_region};
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
        const auto locations = series.locations_of(m);
        if (locations.empty()) continue;
        const auto values = series.values_of(m);
        Measurement& largest = result.measurements.emplace_back(m);
        largest.first_value = result.values.size();
        largest.first_repetition = 0;
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

}  // namespace

Experiment training_measurements(Experiment profiles) {
    std::erase_if(profiles.series, [&](const Series& series) {
        return !is_of_interest(profiles.region(series).path, profiles.metric(series).name);
    });
    Series largest;
    for (const Series& series : profiles.series) {
        if (profiles.region(series).path == computation_region) largest = largest_of(series);
    }
    if (!largest.measurements.empty()) {
        largest.region = static_cast<experiment::RegionId>(profiles.regions.size());
        profiles.regions.push_back({.path = std::string(largest_computation_region), .tags = {}});
        profiles.series.push_back(std::move(largest));
    }
    return profiles;
}

}  // namespace plimsoll::training
