#include "app/commands/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/training/measurements.hpp"

namespace plimsoll::app {

namespace {

/// Numbers of processes by doubling: from the fewest measured to far beyond the most.
std::vector<std::vector<double>> usual_points(const model::FitDocument& document, std::size_t axis,
                                              double fewest) {
    constexpr double beyond = 8.0;
    constexpr std::size_t most_points = 24;
    std::vector<std::vector<double>> points;
    // Where all runs had as many, nothing tells how times change with them.
    const bool is_known = document.smallest[axis] < document.largest[axis];
    const double last = (is_known ? beyond : 1.0) * document.largest[axis];
    for (double p = fewest; p <= last && points.size() < most_points; p *= 2.0) {
        points.push_back(document.largest);
        points.back()[axis] = p;
    }
    return points;
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
void add_notes(TrainingReport& report, const TrainingModels& fitted,
               const std::vector<std::vector<double>>& points) {
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
    for (const model::RegionModel& m : fitted.models.models) {
        if (m.status == model::Status::ok || !m.region.starts_with(training::collective_prefix)) continue;
        report.notes.push_back(fmt::format("'{}' and the like have no model: {}", m.region, m.reason));
        break;
    }
    for (const training::TrainingTime& time : report.points) {
        if (!time.samples || time.training) continue;
        report.notes.push_back(fmt::format(
            "no number of samples above 0 is predicted at {}: the training's time is not known there",
            assignments(report.parameters, time.at)));
    }
    for (std::string& remark : remarks_on_points(fitted.models, points))
        report.notes.push_back(std::move(remark));
}

}  // namespace

TrainingReport training_times(TrainingRequest request, Progress& progress) {
    const TrainingModels fitted = models_of_training(request.models, request.schedule.batch_is, progress);
    const model::FitDocument& document = fitted.models;
    const model::FitOptions& fit = request.models.fit.fit;
    if (document.largest.empty() || document.smallest.empty()) {
        throw Error(ErrorKind::input, Place{.file = request.models.fit.inputs.paths.front()},
                    "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    }
    const std::optional<training::SampleNeed> samples =
        sample_need(request.samples, request.models, progress);
    const experiment::Experiment* const measurements = fitted.measurements ? &*fitted.measurements : nullptr;
    const training::TrainingModel model(document, request.schedule,
                                        request.models.fit.inputs.transform.processes_parameter, fit.coverage,
                                        measurements, request.options, samples);
    std::vector<std::vector<double>> points;
    for (const std::string& at : request.models.fit.at)
        points.push_back(parse_point(at, document.parameters, document.smallest, document.largest));
    if (points.empty()) points = model.measured_alone();
    if (points.empty()) points = usual_points(document, model.processes_axis(), model.fewest_processes());
    TrainingReport report{.parameters = document.parameters,
                          .schedule = request.schedule,
                          .options = request.options,
                          .coverage = fit.coverage};
    if (request.models.fit.at.empty()) {
        std::erase_if(points, [&](const std::vector<double>& point) {
            return point[model.processes_axis()] < training::replica_processes(request.schedule);
        });
    }
    if (points.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("a replica of the model wants {} processes, more than were measured",
                                shortest(training::replica_processes(request.schedule))),
                    "give --at with more processes, or fewer of --model-parallel and --pipeline-parallel");
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
