#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/transform_steps.hpp"

namespace plimsoll::experiment::detail {

namespace {

void note(Experiment& experiment, std::string message) {
    experiment.notes.push_back({.place = {}, .message = std::move(message)});
}

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
    const bool needs_number = std::any_of(all.begin(), all.end(), [&](const Series& series) {
        return !has_locations(series) && is_time(experiment.metric(series));
    });
    if (!needs_number || axis) return axis;
    if (!some_add_up) {
        throw Error(
            ErrorKind::usage,
            fmt::format(
                "strong scaling needs the number of processes, and it is not clear which of {} counts them",
                join(experiment.parameter_names(), ", ")),
            "name the parameter with --processes-parameter");
    }
    note(experiment,
         "regions with one value per repetition stay as they are, since no parameter is known to count "
         "processes");
    return std::nullopt;
}

/// "'energy', 'bytes' and 2 others".
std::string names_text(const Experiment& experiment, const std::vector<bool>& chosen) {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    for (std::size_t m = 0; m < chosen.size(); ++m) {
        if (chosen[m]) names.push_back(fmt::format("'{}'", experiment.metrics[m].name));
    }
    const std::size_t shown = names.size() > most + 1 ? most : names.size();
    std::string text = join(std::span(names).first(shown), ", ");
    if (shown < names.size()) text += fmt::format(" and {} others", names.size() - shown);
    return text;
}

/// Says which metrics were multiplied by the processes, and which are no times and were not.
void note_times(Experiment& experiment, const std::vector<bool>& multiplied, const std::vector<bool>& kept) {
    const bool some = std::find(multiplied.begin(), multiplied.end(), true) != multiplied.end();
    const bool others = std::find(kept.begin(), kept.end(), true) != kept.end();
    if (some) {
        note(experiment,
             fmt::format("modelled is the time of all processes together (p*t), not the time that "
                         "passes{}",
                         others ? "; this concerns " + names_text(experiment, multiplied) : ""));
    }
    if (others) {
        note(experiment,
             fmt::format("--scaling strong leaves {} as measured: not known as a time by name or unit",
                         names_text(experiment, kept)));
    }
}

/// Adds up what the processes and threads report. Times that were not kept for each of them are multiplied by
/// their number.
void add_up(Experiment& experiment, const TransformOptions& options) {
    const auto axis = multiplier(experiment, options);
    const bool adds_up = std::any_of(experiment.series.begin(), experiment.series.end(), has_locations);
    std::vector<bool> multiplied(experiment.metrics.size(), false);
    std::vector<bool> kept(experiment.metrics.size(), false);
    for (Series& series : experiment.series) {
        const std::size_t metric = index(series.metric);
        const bool is_a_time = is_time(experiment.metrics[metric]);
        if (!has_locations(series) && !is_a_time) {
            kept[metric] = true;
            continue;
        }
        // Where a series has locations, a measurement without values is a summary.
        for (Measurement& measurement : series.measurements) {
            if (!axis || (has_locations(series) && measurement.value_count > 0)) continue;
            if (is_a_time) multiplied[metric] = true;
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
    if (adds_up) {
        note(experiment, "modelled is the sum over processes and threads, not the time that passes");
    }
    note_times(experiment, multiplied, kept);
}

/// An .extra-p file that we wrote brings the note of its conversion along.
void note_converted_before(Experiment& experiment) {
    const bool is_said = std::any_of(experiment.notes.begin(), experiment.notes.end(),
                                     [](const Note& n) { return n.message.starts_with("modelled is "); });
    if (is_said) return;
    note(experiment,
         "modelled is the time of all processes together (p*t), not the time that passes: the values "
         "were converted to strong scaling before");
}

}  // namespace

void scale(Experiment& experiment, const TransformOptions& options) {
    const Scaling present = experiment.scaling.value_or(Scaling::weak);
    const Scaling asked = options.scaling;
    if (present == Scaling::strong && asked != Scaling::weak_threaded) note_converted_before(experiment);
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
            note(experiment,
                 "--scaling weak-threaded does nothing here: there are no values of single threads");
        }
    }
    experiment.scaling = asked;
}

}  // namespace plimsoll::experiment::detail
