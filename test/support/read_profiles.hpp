#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/profile/collector.hpp"

namespace plimsoll::test {

/// Reads profiles from files and folders.
inline experiment::Experiment read_profiles(std::span<const std::string> paths,
                                            const profile::ProfileOptions& options = {}) {
    profile::Collector profiles(options);
    return experiment::read(paths, {}, silent(), &profiles);
}

/// Reads one profile that is a text.
inline experiment::Experiment read_profile(std::string_view text, const std::string& name = "profile",
                                           const profile::ProfileOptions& options = {}) {
    profile::Collector profiles(options);
    experiment::ExperimentBuilder builder;
    Input input(name, text);
    experiment::read(input, builder, {}, &profiles);
    return builder.build();
}

/// The messages of all notes, a line each.
inline std::string notes_of(const experiment::Experiment& experiment) {
    std::string notes;
    for (const auto& note : experiment.notes) notes += note.message + "\n";
    return notes;
}

/// The series of a region and metric; null where there is none.
inline const experiment::Series* find_series(const experiment::Experiment& experiment,
                                             std::string_view region, std::string_view metric) {
    for (const experiment::Series& series : experiment.series) {
        if (experiment.region(series).path == region && experiment.metric(series).name == metric)
            return &series;
    }
    return nullptr;
}

/// All values of a region and metric at a point given by its coordinates; empty where nothing was measured.
inline std::vector<double> values_at(const experiment::Experiment& experiment, std::string_view region,
                                     std::string_view metric, std::span<const double> point) {
    const experiment::Series* const series = find_series(experiment, region, metric);
    if (series == nullptr) return {};
    for (const experiment::Measurement& m : series->measurements) {
        const auto coordinates = experiment.point(m.point);
        if (std::equal(coordinates.begin(), coordinates.end(), point.begin(), point.end())) {
            const auto values = series->values_of(m);
            return {values.begin(), values.end()};
        }
    }
    return {};
}

}  // namespace plimsoll::test
