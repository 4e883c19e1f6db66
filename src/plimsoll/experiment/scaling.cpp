#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/transform_steps.hpp"

namespace plimsoll::experiment::detail {

namespace {

bool has_locations(const Series& series) { return !series.locations.empty(); }

/// Leaves out the threads that report zero, unless all of a repetition do.
void leave_out_idle(Series& series) {
    rewrite_repetitions(series, Replaced::processes,
                        [](std::span<const double> values, std::vector<double>& out) {
                            const std::size_t before = out.size();
                            std::copy_if(values.begin(), values.end(), std::back_inserter(out),
                                         [](double v) { return v != 0.0; });
                            if (out.size() == before) out.insert(out.end(), values.begin(), values.end());
                        });
}

void multiply(Series& series, Measurement& measurement, double factor) {
    for (std::size_t i = 0; i < measurement.value_count; ++i)
        series.values[measurement.first_value + i] *= factor;
    for (double* const value :
         {&measurement.summary.mean, &measurement.summary.median, &measurement.summary.minimum,
          &measurement.summary.maximum, &measurement.summary.deviation}) {
        *value *= factor;
    }
    if (measurement.value_count > 0)
        measurement.summary = numeric::summarize(std::as_const(series).values_of(measurement));
}

/// The parameter by which values of one process are multiplied; empty where none is needed or, beside values
/// that can be added up, none is known.
std::optional<std::size_t> multiplier(Experiment& experiment, const TransformOptions& options) {
    const auto axis = processes_parameter(experiment, options.processes_parameter);
    const auto& all = experiment.series;
    const bool some_add_up = std::any_of(all.begin(), all.end(), has_locations);
    const bool all_add_up = std::all_of(all.begin(), all.end(), has_locations);
    if (all_add_up || axis) return axis;
    if (!some_add_up) {
        throw Error(
            ErrorKind::usage,
            fmt::format(
                "strong scaling needs the number of processes, and it is not clear which of {} counts them",
                join(experiment.parameter_names(), ", ")),
            "name the parameter with --processes-parameter");
    }
    experiment.notes.push_back({.place = {},
                                .message = "regions with one value per repetition stay as they are, since no "
                                           "parameter is known to count processes"});
    return std::nullopt;
}

/// Adds up what the processes and threads report. What was not kept for each of them is multiplied by their
/// number.
void add_up(Experiment& experiment, const TransformOptions& options) {
    const auto axis = multiplier(experiment, options);
    for (Series& series : experiment.series) {
        // Where a series has locations, a measurement without values is a summary.
        for (Measurement& measurement : series.measurements) {
            if (!axis || (has_locations(series) && measurement.value_count > 0)) continue;
            const double processes = experiment.point(measurement.point)[*axis];
            if (processes <= 0.0) {
                throw Error(ErrorKind::usage,
                            fmt::format("parameter '{}' is {} at a point and cannot count processes",
                                        experiment.parameters[*axis].name, processes),
                            "name another one with --processes-parameter");
            }
            multiply(series, measurement, processes);
        }
        if (!has_locations(series)) continue;
        rewrite_repetitions(series, Replaced::run,
                            [](std::span<const double> values, std::vector<double>& out) {
                                double sum = 0.0;
                                for (const double value : values) sum += value;
                                out.push_back(sum);
                            });
    }
}

}  // namespace

void scale(Experiment& experiment, const TransformOptions& options) {
    const Scaling present = experiment.scaling.value_or(Scaling::weak);
    const Scaling asked = options.scaling;
    if (present == asked) {
        experiment.scaling = asked;
        return;
    }
    if (present != Scaling::weak) {
        // Weak is the default and changes nothing: the values stay what they are.
        if (asked == Scaling::weak) return;
        throw Error(
            ErrorKind::usage,
            fmt::format("the values were converted to {} scaling before, and cannot be converted to {}",
                        enum_name(present), enum_name(asked)),
            fmt::format("use --scaling {}, or read the original measurements", enum_name(present)));
    }
    if (asked == Scaling::strong) {
        add_up(experiment, options);
    } else {
        bool used = false;
        for (Series& series : experiment.series) {
            if (!has_locations(series)) continue;
            leave_out_idle(series);
            used = true;
        }
        if (!used) {
            experiment.notes.push_back(
                {.place = {},
                 .message =
                     "--scaling weak-threaded does nothing here: there are no values of single threads"});
        }
    }
    experiment.scaling = asked;
}

}  // namespace plimsoll::experiment::detail
