#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/experiment/transform.hpp"

// The steps of transform(), in the order in which they are taken. Each is one file.
namespace plimsoll::experiment::detail {

/// Keeps the regions and metrics that the options choose. All points stay, also those at which none of these
/// was measured.
void keep_chosen(Experiment& experiment, const TransformOptions& options);

/// Converts the values to the scaling asked for.
void scale(Experiment& experiment, const TransformOptions& options);

/// Whether some repetitions have a value for each process and thread.
enum class Locations { absent, kept };

/// Makes one value of those of the processes and threads of each repetition. `before` is how they were read:
/// the scaling may have joined them since.
void join_ranks(Experiment& experiment, RankAggregate how, Locations before);

/// Adds the values of its whole sub-tree to each region.
void sum_sub_trees(Experiment& experiment);

/// What the values of a repetition stand for once they were replaced.
enum class Replaced {
    processes,  ///< each still for a process or thread
    run         ///< a single one for the whole run
};

/// Replaces the values of a series, repetition by repetition, and their summaries.
/// `replace(values, out)` gets the values of one repetition and appends one or more to `out`.
template <class Replace>
void rewrite_repetitions(Series& series, Replaced stands_for, Replace&& replace) {
    std::vector<double> values;
    std::vector<std::uint32_t> locations;
    for (Measurement& measurement : series.measurements) {
        if (measurement.value_count == 0) continue;
        std::span<const double> rest = series.values_of(measurement);
        const std::span<const std::uint32_t> counts = series.locations_of(measurement);
        measurement.first_value = values.size();
        measurement.first_repetition = locations.size();
        for (std::uint32_t r = 0; r < measurement.repetitions; ++r) {
            const std::size_t count = counts.empty() ? 1 : counts[r];
            const std::size_t before = values.size();
            replace(rest.first(count), values);
            locations.push_back(static_cast<std::uint32_t>(values.size() - before));
            rest = rest.subspan(count);
        }
        measurement.value_count = values.size() - measurement.first_value;
        measurement.summary = numeric::summarize(
            std::span<const double>(values).subspan(measurement.first_value, measurement.value_count));
    }
    series.values = std::move(values);
    series.locations =
        stands_for == Replaced::processes ? std::move(locations) : std::vector<std::uint32_t>{};
}

}  // namespace plimsoll::experiment::detail
