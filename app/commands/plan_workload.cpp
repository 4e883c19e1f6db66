#include "app/commands/plan_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/transform.hpp"
#include "plimsoll/experiment/units.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/training/measurements.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;
using model::RegionModel;
using Models = std::vector<const RegionModel*>;

constexpr std::size_t few = 12;  // names in a hint

std::string listed(const std::vector<std::string>& names) {
    return join(std::span(names).first(std::min(few, names.size())), ", ") +
           (names.size() > few ? ", ..." : "");
}

std::string unit_of(const RegionModel& m) {
    if (!m.unit.empty()) return m.unit;
    return m.metric.empty() ? "s" : std::string(experiment::usual_unit(m.metric));
}

/// What a unit of a model's metric is in another unit; empty where it measures something else.
std::optional<double> factor_to(std::string_view unit, const RegionModel& m) {
    return experiment::unit_factor(unit_of(m), unit);
}

/// Metrics that can be told in a unit, each once, in the order of the models.
std::vector<std::string> metrics_in(const FitDocument& document, std::string_view unit) {
    std::vector<std::string> names;
    for (const RegionModel& m : document.models) {
        if (factor_to(unit, m) && std::find(names.begin(), names.end(), m.metric) == names.end())
            names.push_back(m.metric);
    }
    return names;
}

/// The metric that is the time of a run.
std::string time_metric(const FitDocument& document) {
    const std::vector<std::string> metrics = metrics_in(document, "s");
    if (metrics.empty()) {
        std::vector<std::string> all;
        for (const RegionModel& m : document.models) {
            if (std::find(all.begin(), all.end(), m.metric) == all.end()) all.push_back(m.metric);
        }
        throw Error(
            ErrorKind::usage, fmt::format("no metric is known as a time: {}", listed(all)),
            "give its unit with the measurements, such as 'runtime [s]' at the head of a table's column");
    }
    if (metrics.size() == 1 || std::find(metrics.begin(), metrics.end(), "time") == metrics.end()) {
        if (metrics.size() == 1) return metrics.front();
        throw Error(ErrorKind::usage,
                    fmt::format("which metric is the time of a run is not clear: {}", listed(metrics)),
                    fmt::format("choose one with --metric {}", metrics.front()));
    }
    return "time";
}

/// Regions of one metric that have a model; those within others that hold their values left out.
Models parts_of(const FitDocument& document, const std::string& metric, std::vector<std::string>& notes) {
    std::set<std::string_view> modelled;
    for (const RegionModel& m : document.models) {
        if (m.metric == metric && m.status == model::Status::ok) modelled.insert(m.region);
    }
    const auto lies_within_another = [&](const RegionModel& m) {
        std::string_view above = experiment::path_above(m.region);
        while (!above.empty() && !modelled.contains(above)) above = experiment::path_above(above);
        return !above.empty();
    };
    Models parts;
    const RegionModel* missing = nullptr;
    std::size_t without = 0;
    for (const RegionModel& m : document.models) {
        if (m.metric != metric || (document.inclusive && lies_within_another(m))) continue;
        if (m.status == model::Status::ok) {
            parts.push_back(&m);
        } else {
            ++without;
            if (missing == nullptr) missing = &m;
        }
    }
    if (missing != nullptr && !parts.empty()) {
        notes.push_back(fmt::format("{} of {} have no model and are left out of the time: '{}' ({}){}",
                                    without, counted(without + parts.size(), "region"), missing->region,
                                    missing->reason, without > 1 ? ", ..." : ""));
    }
    if (parts.empty()) {
        throw Error(ErrorKind::input,
                    missing == nullptr
                        ? fmt::format("no region has a metric '{}'", metric)
                        : fmt::format("'{}' has no model: {}", missing->region, missing->reason),
                    "measure at more points; 'plimsoll show' tells what there is");
    }
    return parts;
}

/// Throws where regions are no run together, unless the user has chosen them.
std::string name_of_time(const Models& parts, const experiment::TransformOptions& options, bool inclusive) {
    std::vector<std::string> tops;
    for (const RegionModel* const m : parts) {
        std::string top = m->region.substr(0, experiment::find_arrow(m->region));
        if (std::find(tops.begin(), tops.end(), top) == tops.end()) tops.push_back(std::move(top));
    }
    const bool is_chosen = !options.regions.empty() || !options.region_expression.empty();
    if (tops.size() > 1 && !is_chosen) {
        throw Error(ErrorKind::usage,
                    fmt::format("which regions make up a run is not clear: {}", listed(tops)),
                    fmt::format("choose with --region, such as --region '{}*'; their times are added up",
                                tops.front()));
    }
    if (parts.size() == 1) return parts.front()->region;
    if (!is_chosen && !inclusive) return fmt::format("{} with all below it", tops.front());
    return fmt::format("{} together", counted(parts.size(), "region"));
}

/// Metrics that people call the memory of a process.
bool is_usual_memory(const std::string& metric) {
    const std::string name = lower_case(metric);
    return name == "rss" || name == "max_rss" || name == "max-rss" || name.starts_with("memory") ||
           name.ends_with("memory");
}

/// Resident memory is that of the node, whatever devices hold beside it.
plan::MemoryPlace place_of(const std::string& metric) {
    const std::string name = lower_case(metric);
    const bool is_resident = name == "rss" || name == "max_rss" || name == "max-rss" ||
                             name.find("resident") != std::string::npos || name.starts_with("host");
    return is_resident ? plan::MemoryPlace::node : plan::MemoryPlace::device;
}

void find_memory(const FitDocument& document, const std::string& asked, plan::Workload& workload,
                 std::vector<std::string>& notes) {
    std::vector<std::string> metrics = metrics_in(document, "B");
    std::string metric = asked;
    if (!asked.empty() && std::find(metrics.begin(), metrics.end(), asked) == metrics.end()) {
        const auto near = nearest(asked, metrics);
        throw Error(ErrorKind::usage, fmt::format("--memory-metric: no metric '{}' is in bytes", asked),
                    near              ? fmt::format("did you mean '{}'?", *near)
                    : metrics.empty() ? "leave it out, or give models of the memory as well"
                                      : fmt::format("choose one of {}", listed(metrics)));
    }
    if (asked.empty()) {
        std::erase_if(metrics, [](const std::string& name) { return !is_usual_memory(name); });
        if (metrics.empty()) {
            for (const RegionModel& m : document.models) {
                if (!is_usual_memory(m.metric) || !m.unit.empty()) continue;
                notes.push_back(
                    fmt::format("'{0}' has no unit, and is held against no machine's memory; give one, such "
                                "as '{0} [B]' at the head of a table's column",
                                m.metric));
                break;
            }
            return;
        }
        metric = metrics.front();
        if (metrics.size() > 1)
            notes.push_back(
                fmt::format("'{}' is taken for the memory of a process; --memory-metric chooses among {}",
                            metric, listed(metrics)));
    }
    workload.memory_place = place_of(metric);
    for (const RegionModel& m : document.models) {
        const auto unit = factor_to("B", m);
        if (m.metric == metric && m.status == model::Status::ok && unit)
            workload.memory.push_back({.model = &m, .unit = *unit, .times = {}});
    }
}

/// Whether a parameter is called as numbers of processes usually are.
bool is_usual_count(const std::string& name) {
    constexpr std::array<std::string_view, 16> usual{
        "p",       "np",        "nprocs", "procs",  "num_procs", "ranks",   "nranks", "tasks",
        "workers", "mpi_ranks", "nodes",  "nnodes", "cores",     "threads", "gpus",   "devices"};
    const std::string lower = lower_case(name);
    return lower.starts_with("process") || std::find(usual.begin(), usual.end(), lower) != usual.end();
}

/// Sets which parameter counts processes, and what one of them is.
void find_processes(const experiment::TransformOptions& transform, double fixed, FixedProcesses has_option,
                    PlannedWork& work) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kinds{{{"nodes", "nodes"},
                                                                                  {"nnodes", "nodes"},
                                                                                  {"cores", "cores"},
                                                                                  {"threads", "cores"},
                                                                                  {"gpus", "devices"},
                                                                                  {"devices", "devices"}}};
    work.counted = "processes";
    if (fixed > 0.0) {
        if (!transform.processes_parameter.empty())
            throw Error(ErrorKind::usage, "--processes and --processes-parameter exclude each other",
                        "leave one of them out");
        for (const std::string& name : work.parameters) {
            if (is_usual_count(name))
                throw Error(ErrorKind::usage,
                            fmt::format("--processes has no effect: '{}' counts them", name),
                            fmt::format("give --parameter {}={}", name, shortest(fixed)));
        }
        work.workload.processes = work.parameters.size();
        work.workload.fewest = fixed;
        work.parameters.emplace_back("processes");
        return;
    }
    experiment::Experiment names;
    for (const std::string& name : work.parameters) names.parameters.push_back({.name = name, .unit = {}});
    const auto axis = experiment::processes_parameter(names, transform.processes_parameter);
    if (!axis) {
        throw Error(
            ErrorKind::usage,
            fmt::format("which of {} counts the processes is not clear", join(work.parameters, ", ")),
            has_option == FixedProcesses::as_option
                ? "name it with --processes-parameter, or give --processes 64 where all runs have as many"
                : "name it with --processes-parameter");
    }
    work.workload.processes = *axis;
    const std::string& name = work.parameters[*axis];
    for (const auto& [usual, kind] : kinds) {
        if (lower_case(name) == usual) work.counted = kind;
    }
    work.processes_are_guessed =
        transform.processes_parameter.empty() && work.parameters.size() == 1 && !is_usual_count(name);
    if (work.counted != "processes") work.notes.push_back(fmt::format("'{}' counts {}", name, work.counted));
}

/// Whether time falls with the processes between the fewest and the most that were measured, by a sixth at
/// least.
bool time_falls(const PlannedWork& work) {
    constexpr double plainly = 1.2;  // as expectations take it: caches alone may do a little
    constexpr double any_coverage = 0.5;
    std::vector<double> most = work.document.largest;
    std::vector<double> fewest = most;
    const std::size_t axis = work.workload.processes;
    if (axis >= fewest.size()) return false;
    fewest[axis] = work.document.smallest[axis];
    return plan::time_at(work.workload, fewest, any_coverage).value >
           plainly * plan::time_at(work.workload, most, any_coverage).value;
}

}  // namespace

bool is_training(const model::FitDocument& document, const training::Schedule& schedule) {
    const auto has = [&](std::string_view region) {
        return std::any_of(document.models.begin(), document.models.end(), [&](const RegionModel& m) {
            return m.region == region && m.metric == training::time_metric;
        });
    };
    return schedule.dataset_size > 0 || (has(training::epoch_region) && !has(training::step_region));
}

std::string guess_of_processes(const PlannedWork& work) {
    return fmt::format("'{}' is taken to count the processes", work.parameters[work.workload.processes]);
}

void plan_work(model::FitDocument document, const ModelsRequest& models, const training::Schedule& schedule,
               std::optional<training::SampleNeed> samples, const plan::ConfigOptions& options,
               PlannedWork& work, FixedProcesses fixed) {
    work.document = std::move(document);
    if (work.document.largest.empty() || work.document.smallest.empty()) {
        throw Error(ErrorKind::input, Place{.file = models.fit.inputs.paths.front()},
                    "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    }
    const experiment::TransformOptions& transform = models.fit.inputs.transform;
    work.parameters = work.document.parameters;
    find_processes(transform, options.processes, fixed, work);
    plan::Workload& workload = work.workload;
    const std::size_t axis = workload.processes;
    if (axis < work.document.smallest.size()) workload.fewest = work.document.smallest[axis];
    if (!(workload.fewest > 0.0))
        throw Error(ErrorKind::usage,
                    fmt::format("parameter '{}' is {} at a point and cannot count processes",
                                work.parameters[axis], workload.fewest),
                    fixed == FixedProcesses::as_option
                        ? "name another one with --processes-parameter, or give --processes 64"
                        : "name another one with --processes-parameter");
    // Strong scaling models p t, the time of all processes together.
    const bool of_all = recorded_option(work.document, "scaling") == enum_name(experiment::Scaling::strong);
    const auto of_one = [&](std::function<double(std::span<const double>)> times) {
        if (!of_all) return times;
        return std::function<double(std::span<const double>)>([axis, times](std::span<const double> point) {
            return (times ? times(point) : 1.0) / point[axis];
        });
    };
    if (is_training(work.document, schedule)) {
        work.training.emplace(work.document, schedule, transform.processes_parameter, models.fit.fit.coverage,
                              nullptr, training::TrainingOptions{}, std::move(samples));
        workload.fewest = work.training->fewest_processes();
        const bool has_validation =
            std::any_of(work.document.models.begin(), work.document.models.end(), [](const RegionModel& m) {
                return m.region == training::validation_region && m.status == model::Status::ok;
            });
        if (schedule.validation_size > 0 && !has_validation)
            work.notes.emplace_back("no steps of validation were profiled; those of training stand for them");
        for (const training::StepPart& part : work.training->parts()) {
            const auto unit = factor_to("s", *part.model);
            workload.time.push_back(
                {.model = part.model, .unit = unit.value_or(1.0), .times = of_one(part.count)});
        }
        work.time_of = "the training";
    } else {
        const Models parts = parts_of(work.document, time_metric(work.document), work.notes);
        work.time_of = name_of_time(parts, transform, work.document.inclusive);
        for (const RegionModel* const m : parts) {
            workload.time.push_back({.model = m, .unit = *factor_to("s", *m), .times = of_one({})});
        }
    }
    find_memory(work.document, options.memory_metric, workload, work.notes);
    switch (options.work) {
        case plan::WorkIs::in_all: workload.work = plan::Work::in_all; break;
        case plan::WorkIs::per_process: workload.work = plan::Work::per_process; break;
        case plan::WorkIs::automatic:
            workload.work =
                of_all || work.training || time_falls(work) ? plan::Work::in_all : plan::Work::per_process;
    }
}

}  // namespace plimsoll::app
