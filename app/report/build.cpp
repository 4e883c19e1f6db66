#include "app/report/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/commands/compare.hpp"
#include "app/commands/measured_beside.hpp"
#include "app/render/documents.hpp"
#include "app/report/axes.hpp"
#include "app/report/report_data.hpp"
#include "app/report/target.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;

/// Puts the file of models, if there is one among the inputs, apart from the measurements.
std::vector<std::string> take_measurements(Inputs& inputs) {
    std::vector<std::string>& paths = inputs.paths;
    std::vector<std::string> models;
    std::vector<std::string> measurements;
    for (const std::string& path : paths) {
        const auto opened = inputs.read.opened.find(path);
        const bool has_models =
            opened == inputs.read.opened.end() ? holds_models(path) : model::is_document(*opened->second);
        (has_models ? models : measurements).push_back(path);
    }
    if (models.size() > 1) {
        throw Error(ErrorKind::usage,
                    fmt::format("'{}' and '{}' both hold models, and a report is of one experiment",
                                models[0], models[1]),
                    "write a report of each");
    }
    if (models.empty()) return {};
    paths = models;
    return measurements;
}

/// Rising distinct values of a parameter: those measured, or their ends where nothing else is known.
std::vector<double> measured_values(const FitDocument& document, const experiment::Experiment* experiment,
                                    std::size_t axis) {
    std::set<double> values{document.smallest[axis], document.largest[axis]};
    if (experiment != nullptr) {
        if (const auto place = experiment->find_parameter(document.parameters[axis])) {
            for (std::size_t i = 0; i < experiment->point_count(); ++i)
                values.insert(experiment->point(static_cast<experiment::PointId>(i))[*place]);
        }
    }
    return {values.begin(), values.end()};
}

/// Four times as many processes as were measured, or four times all parameters where none counts processes.
std::vector<double> usual_target(const FitDocument& document, std::optional<std::size_t> processes) {
    constexpr double further = 4.0;
    std::vector<double> target = document.largest;
    for (std::size_t k = 0; k < target.size(); ++k) {
        const bool rises = processes ? *processes == k : document.smallest[k] < document.largest[k];
        if (rises && target[k] > 0.0) target[k] *= further;
    }
    return target;
}

/// Stops of all parameters, so that a report of many models stays small and one of few shows fine curves.
model::Grid stops_of(const FitDocument& document, const experiment::Experiment* experiment,
                     const std::vector<double>& target, std::optional<std::size_t> processes) {
    constexpr double most_numbers =
        2e6;  // medians of all models: 8 MB, and as much for each end of intervals
    const double points = std::clamp(
        most_numbers / static_cast<double>(std::max<std::size_t>(document.models.size(), 1)), 12.0, 1600.0);
    std::size_t varied = 0;
    for (std::size_t k = 0; k < document.parameters.size(); ++k)
        varied += document.smallest[k] < document.largest[k] ? 1U : 0U;
    const double each = std::pow(points, 1.0 / static_cast<double>(std::max<std::size_t>(varied, 1)));
    constexpr double finest = 64.0;
    constexpr double far = 64.0;  // times the largest number of processes that was measured
    constexpr double near = 8.0;  // of other parameters
    model::Grid grid;
    for (std::size_t k = 0; k < document.parameters.size(); ++k) {
        const bool is_scale = processes ? *processes == k : document.parameters.size() == 1;
        grid.values.push_back(
            axis_stops({.measured = measured_values(document, experiment, k),
                        .target = target[k],
                        .furthest = document.largest[k] * (is_scale ? far : near),
                        .most = static_cast<std::size_t>(std::clamp(std::floor(each), 3.0, finest))}));
    }
    return grid;
}

/// Reads the measurements that models from a file were made of, to show them beside these.
experiment::Experiment measurements_beside(const ModelsRequest& models, const FitDocument& document,
                                           std::vector<std::string> paths, Progress& progress) {
    Inputs inputs = models.fit.inputs;
    inputs.paths = std::move(paths);
    inputs.read.constants = experiment::ConstantParameters::keep;
    experiment::Experiment experiment = read_inputs(inputs, progress);
    expect_same_treatment(experiment, inputs.transform, Place{.file = inputs.paths.front()});
    if (experiment.parameter_names() != document.parameters) {
        throw Error(ErrorKind::input, Place{.file = inputs.paths.front()},
                    fmt::format("has the parameters {}, and the models have {}",
                                join(experiment.parameter_names(), ", "), join(document.parameters, ", ")),
                    "give the measurements that the models were made of");
    }
    return experiment;
}

/// What changed since the earlier version: by measurements, or by models at the target where they are all
/// that there is.
std::string compared(const ReportRequest& request, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& parameters, const std::vector<double>& target,
                     Progress& progress) {
    if (inputs.size() > 1) {
        throw Error(ErrorKind::usage, "an earlier version is compared with one input, and there are several",
                    fmt::format("name one beside --before, such as '{}'", inputs.front()));
    }
    CompareRequest comparison{
        .models = request.models, .before = request.before, .after = inputs.front(), .compare = {}};
    comparison.models.fit.at.clear();
    if (holds_models(request.before) || holds_models(inputs.front())) {
        std::vector<std::string> point;
        for (std::size_t k = 0; k < target.size(); ++k)
            point.push_back(fmt::format("{}={}", parameters[k], shortest(target[k])));
        comparison.models.fit.at = {join(point, ",")};
    }
    return to_json(compare(comparison, progress));
}

/// What a report shows of an experiment; its parts point into one another.
struct ShownExperiment {
    PlannedWork work;
    std::optional<experiment::Experiment> measured;
    ReportData data;
};

void fill(ShownExperiment& shown, const ReportRequest& request, ModelsRequest models, Progress& progress) {
    const std::vector<std::string> named = models.fit.inputs.paths;
    const bool is_pipe = !models.fit.inputs.read.opened.empty();
    std::vector<std::string> beside = take_measurements(models.fit.inputs);
    const std::vector<std::string> to_compare = beside.empty() ? models.fit.inputs.paths : beside;
    if (!request.before.empty() && is_pipe) {
        throw Error(ErrorKind::usage, "an earlier version is compared with a file, and there is a pipe",
                    "write it to a file first");
    }
    FitDocument document = models_of(models, progress, shown.measured);
    if (!beside.empty()) shown.measured = measurements_beside(models, document, std::move(beside), progress);
    if (document.largest.empty() || document.smallest.empty()) {
        throw Error(ErrorKind::input, Place{.file = named.front()}, "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    }
    std::vector<double> target;
    for (const std::string& at : models.fit.at)
        target = parse_point(at, document.parameters, document.smallest, document.largest);

    ReportData& data = shown.data;
    PlannedWork& work = shown.work;
    data.name = join(named, ", ");
    data.statistic = models.fit.fit.statistic;
    data.coverage = models.fit.fit.coverage;
    data.notes = notes_of(document);
    std::optional<std::size_t> processes;
    try {
        plan_work(std::move(document), models, {}, {}, {}, work, FixedProcesses::unknown);
        processes = work.workload.processes;
    } catch (const Error& error) {  // what a run is is not clear, and models have to be looked at one by one
        data.why_no_line =
            fmt::format("{}{}{}", error.what(), error.hint().empty() ? "" : "; ", error.hint());
    }
    data.document = &work.document;
    data.experiment = shown.measured ? &*shown.measured : nullptr;
    data.target = target.empty() ? usual_target(work.document, processes) : std::move(target);
    data.values =
        model_values(work.document, stops_of(work.document, data.experiment, data.target, processes),
                     data.coverage, request.models.fit.threads, progress);
    if (processes) {
        data.line = scale_line(work, data.values.grid, request.options.efficiency.share,
                               request.models.fit.threads, progress);
        data.work = &work;
        if (work.processes_are_guessed) data.notes_of_line.push_back(guess_of_processes(work));
        data.notes_of_line.insert(data.notes_of_line.end(), work.notes.begin(), work.notes.end());
    }
    if (!request.before.empty())
        data.comparison = compared(request, to_compare, work.document.parameters, data.target, progress);
}

void count(const ShownExperiment& shown, ReportReport& result) {
    const FitDocument& document = shown.work.document;
    result.parameters = document.parameters;
    std::set<std::string_view> regions;
    for (const model::RegionModel& m : document.models) {
        regions.insert(m.region);
        result.models += m.status == model::Status::ok ? 1U : 0U;
    }
    result.regions = regions.size();
    if (shown.measured) {
        for (const experiment::Series& series : shown.measured->series)
            result.measurements += series.measurements.size();
    }
    result.notes = notes_of(document);
}

/// Options that say something of models have no effect where none are shown.
void refuse_idle(const ReportRequest& request) {
    const char* const idle = !request.before.empty()          ? "--before"
                             : !request.models.fit.at.empty() ? "--at"
                                                              : nullptr;
    if (idle == nullptr) return;
    throw Error(ErrorKind::usage, fmt::format("{} has no effect without models or measurements", idle),
                "name some beside the documents, or leave it out");
}

}  // namespace

ReportReport build_report(const ReportRequest& request, Progress& progress) {
    if (request.output.empty())
        throw Error(ErrorKind::usage, "no file for the report is named", "name one, such as -o report.html");
    const report::Bundle& bundle = report::bundle();  // before the work, which would be in vain without it
    ModelsRequest models = request.models;
    const ReportTarget target(request.output);
    const std::vector<ShownDocument> documents = take_documents(models.fit.inputs);
    std::vector<std::string> to_keep = request.models.fit.inputs.paths;
    if (!request.before.empty()) to_keep.push_back(request.before);
    target.refuse_over(to_keep, documents);
    std::optional<ShownExperiment> shown;
    std::vector<std::string> names;
    if (models.fit.inputs.paths.empty()) {
        refuse_idle(request);
    } else {
        fill(shown.emplace(), request, std::move(models), progress);
        names.push_back(shown->data.name);
    }
    for (const ShownDocument& document : documents) names.push_back(document.name);
    target.make();
    report::Page page(target.page(), bundle, fmt::format("Plimsoll: {}", join(names, ", ")), request.version);
    write_data(page, shown ? &shown->data : nullptr, documents);
    target.write_beside(shown ? &shown->data : nullptr, documents);
    ReportReport result{.output = target.page(), .bytes = page.finish()};
    for (const ShownDocument& document : documents) result.documents.push_back(document.kind);
    if (shown) count(*shown, result);
    return result;
}

}  // namespace plimsoll::app
