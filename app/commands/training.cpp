#include "app/commands/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/training/measurements.hpp"

namespace plimsoll::app {

namespace {

/// Models, and what they were fitted to where they were not read from a file.
struct Fitted {
    model::FitDocument models;
    std::optional<experiment::Experiment> measurements;
};

/// Numbers of processes by doubling: from the fewest measured to far beyond the most.
std::vector<std::vector<double>> usual_points(const model::FitDocument& document, std::size_t axis,
                                              std::uint64_t model_parallel) {
    constexpr double beyond = 8.0;
    constexpr std::size_t most_points = 24;
    std::vector<std::vector<double>> points;
    for (double p = std::max(document.smallest[axis], static_cast<double>(model_parallel));
         p <= beyond * document.largest[axis] && points.size() < most_points; p *= 2.0) {
        points.push_back(document.largest);
        points.back()[axis] = p;
    }
    return points;
}

bool holds_models(const std::vector<std::string>& paths) {
    std::error_code ignored;
    if (paths.size() != 1 || !std::filesystem::is_regular_file(paths.front(), ignored)) return false;
    Input input(paths.front());
    return model::is_document(input);
}

/// Steps are times of one process: sums over all are none.
void refuse_sums(const experiment::TransformOptions& transform) {
    constexpr const char* hint = "leave it out: the time of all processes together is no time of a step";
    if (transform.scaling == experiment::Scaling::strong)
        throw Error(ErrorKind::usage, "--scaling: 'strong' does not go with training", hint);
    if (transform.ranks == experiment::RankAggregate::sum)
        throw Error(ErrorKind::usage, "--ranks: 'sum' does not go with training", hint);
}

Fitted models_of_training(TrainingRequest& request, Progress& progress) {
    Inputs& inputs = request.models.fit.inputs;
    refuse_sums(inputs.transform);
    if (holds_models(inputs.paths))
        return {.models = models_of(request.models, progress), .measurements = {}};
    Inputs as_read = inputs;
    as_read.transform = {};
    experiment::Experiment measurements = training::training_measurements(read_inputs(as_read, progress));
    if (measurements.series.empty()) {
        throw Error(
            ErrorKind::input, Place{.file = inputs.paths.front()}, "no step is marked",
            "profile steps that are marked: prof.step() of the PyTorch profiler, or NVTX ranges such as "
            "'step 12'; or see --steps");
    }
    measurements = experiment::transform(std::move(measurements), inputs.transform);
    FitRequest fitting = request.models.fit;
    fitting.at.clear();
    model::FitDocument models = fit(measurements, fitting, progress);
    return {.models = std::move(models), .measurements = std::move(measurements)};
}

/// Of the samples that trainings needed: models, or measurements to be modelled alike.
std::optional<training::SampleNeed> sample_need(const TrainingRequest& request, Progress& progress) {
    if (request.samples.empty()) return std::nullopt;
    ModelsRequest samples;
    samples.fit.inputs.paths = {request.samples};
    samples.fit.fit = request.models.fit.fit;
    samples.fit.threads = request.models.fit.threads;
    try {
        return training::SampleNeed(models_of(samples, progress), request.models.fit.fit.coverage);
    } catch (const Error& error) {
        if (!error.place().file.empty()) throw;
        throw Error(error.kind(), Place{.file = request.samples}, error.what(), error.hint());
    }
}

/// Models of whole steps and epochs alone: how well those of their parts do matters by their share alone.
model::FitDocument without_parts(model::FitDocument models) {
    const auto is_part = [](std::string_view text) {
        return text.starts_with("device->") || text.starts_with(training::collective_prefix);
    };
    std::erase_if(models.models, [&](const model::RegionModel& m) { return is_part(m.region); });
    std::erase_if(models.notes, [&](const std::string& note) {
        return note.starts_with('\'') && is_part(std::string_view(note).substr(1));
    });
    return models;
}

/// Notes on models that stand for points where something is told.
void add_notes(TrainingReport& report, const Fitted& fitted, const std::vector<std::vector<double>>& points) {
    const model::FitDocument of_whole = without_parts(fitted.models);
    report.notes = notes_of(of_whole);
    for (const training::TrainingTime& time : report.points) {
        if (time.throughput > 0.0) continue;
        report.notes.push_back(
            fmt::format("the model of a step has no time above 0 at {}: nothing follows from it there",
                        assignments(report.parameters, time.at)));
    }
    const training::TrainingTime& first = report.points.front();
    if (report.schedule.dataset_size > 0 && first.batch <= 0.0 && first.step) {
        report.notes.emplace_back(
            "how many samples a step has is not known, so that there is no time of an epoch; give --batch");
    }
    if (report.schedule.validation_size > 0 && first.step && !first.validation_step) {
        report.notes.emplace_back("no steps of validation were profiled; those of training stand for them");
    }
    for (std::string& remark : remarks_on_points(fitted.models, points))
        report.notes.push_back(std::move(remark));
}

}  // namespace

TrainingReport training_times(TrainingRequest request, Progress& progress) {
    const Fitted fitted = models_of_training(request, progress);
    const model::FitDocument& document = fitted.models;
    const model::FitOptions& fit = request.models.fit.fit;
    if (document.largest.empty() || document.smallest.empty()) {
        throw Error(ErrorKind::input, Place{.file = request.models.fit.inputs.paths.front()},
                    "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    }
    const std::optional<training::SampleNeed> samples = sample_need(request, progress);
    const experiment::Experiment* const measurements = fitted.measurements ? &*fitted.measurements : nullptr;
    const training::TrainingModel model(document, request.schedule,
                                        request.models.fit.inputs.transform.processes_parameter, fit.coverage,
                                        measurements, request.options, samples);
    std::vector<std::vector<double>> points;
    for (const std::string& at : request.models.fit.at)
        points.push_back(parse_point(at, document.parameters));
    if (points.empty()) points = model.measured_alone();
    if (points.empty())
        points = usual_points(document, model.processes_axis(), request.schedule.model_parallel);
    TrainingReport report{.parameters = document.parameters,
                          .schedule = request.schedule,
                          .options = request.options,
                          .coverage = fit.coverage};
    if (request.models.fit.at.empty()) {
        std::erase_if(points, [&](const std::vector<double>& point) {
            return point[model.processes_axis()] < static_cast<double>(request.schedule.model_parallel);
        });
    }
    if (points.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("a replica of the model wants {} processes, more than were measured",
                                request.schedule.model_parallel),
                    "give --at with more processes, or another --model-parallel");
    }
    for (const std::vector<double>& point : points) report.points.push_back(model.at(point));
    if (samples) report.critical_batch = samples->critical_batch();
    if (measurements != nullptr) {
        for (training::StepPrecision& precision :
             training::step_precision(*measurements, fit.coverage, request.options.precision)) {
            const double epoch_steps = model.steps_at(precision.at).training;
            report.profiled.push_back({.precision = std::move(precision), .epoch_steps = epoch_steps});
        }
    }
    add_notes(report, fitted, points);
    return report;
}

}  // namespace plimsoll::app
