#include "plimsoll/experiment/transform.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/transform_steps.hpp"

namespace plimsoll::experiment {

namespace {

constexpr std::array<std::string_view, 12> process_names{"p",         "np",        "nprocs", "procs",
                                                         "num_procs", "processes", "ranks",  "nranks",
                                                         "tasks",     "mpi_ranks", "ntasks", "processors"};
/// What stands for the processes where nothing counts them: the machine grows with it as well.
constexpr std::array<std::string_view, 7> device_names{"cores",   "gpus",  "devices", "workers",
                                                       "threads", "nodes", "nnodes"};

/// The only parameter with one of some names; empty where there are none or several.
std::optional<std::size_t> only_one_of(const Experiment& experiment,
                                       std::span<const std::string_view> names) {
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < experiment.parameters.size(); ++k) {
        const std::string name = lower_case(experiment.parameters[k].name);
        if (std::find(names.begin(), names.end(), name) == names.end()) continue;
        if (found) return std::nullopt;
        found = k;
    }
    return found;
}

}  // namespace

std::optional<std::size_t> processes_parameter(const Experiment& experiment, const std::string& name) {
    if (!name.empty()) {
        if (const auto axis = experiment.find_parameter(name)) return axis;
        const std::vector<std::string> names = experiment.parameter_names();
        const auto near = nearest(name, names);
        throw Error(ErrorKind::usage, fmt::format("there is no parameter '{}'", name),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("choose one of {}", join(names, ", ")));
    }
    if (experiment.parameters.size() == 1) return 0;
    if (const auto axis = only_one_of(experiment, process_names)) return axis;
    return only_one_of(experiment, device_names);
}

Experiment transform(Experiment experiment, const TransformOptions& options) {
    detail::keep_chosen(experiment, options);
    const bool has_locations = std::any_of(experiment.series.begin(), experiment.series.end(),
                                           [](const Series& series) { return !series.locations.empty(); });
    detail::scale(experiment, options);
    detail::join_ranks(experiment, options.ranks,
                       has_locations ? detail::Locations::kept : detail::Locations::absent);
    if (options.tree == TreeAggregate::inclusive && experiment.inclusive) {
        experiment.notes.push_back(
            {.place = {}, .message = "--tree inclusive does nothing here: the values are inclusive already"});
    } else if (options.tree == TreeAggregate::inclusive) {
        if (!options.regions.empty() || !options.region_expression.empty()) {
            experiment.notes.push_back(
                {.place = {}, .message = "inclusive values cover the chosen regions alone"});
        }
        detail::sum_sub_trees(experiment);
        experiment.inclusive = true;
    }
    return experiment;
}

}  // namespace plimsoll::experiment
