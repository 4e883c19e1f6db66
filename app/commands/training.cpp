#include "app/commands/training.hpp"

#include <algorithm>
#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

namespace {

/// Numbers of processes by doubling: from the fewest measured to far beyond the most.
std::vector<std::vector<double>> usual_points(const model::FitDocument& document, std::size_t axis) {
    constexpr double beyond = 8.0;
    constexpr std::size_t most_points = 24;
    std::vector<std::vector<double>> points;
    for (double p = document.smallest[axis];
         p <= beyond * document.largest[axis] && points.size() < most_points; p *= 2.0) {
        points.push_back(document.largest);
        points.back()[axis] = p;
    }
    return points;
}

}  // namespace

TrainingReport training_times(TrainingRequest request, Progress& progress) {
    const model::FitDocument document = models_of(request.models, progress);
    const model::FitOptions& fit = request.models.fit.fit;
    if (document.largest.empty() || document.smallest.empty()) {
        throw Error(ErrorKind::input, Place{.file = request.models.fit.inputs.paths.front()},
                    "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    }
    const training::TrainingModel model(
        document, request.schedule, request.models.fit.inputs.transform.processes_parameter, fit.coverage);
    std::vector<std::vector<double>> points;
    for (const std::string& at : request.models.fit.at)
        points.push_back(parse_point(at, document.parameters));
    if (points.empty()) points = usual_points(document, model.processes_axis());
    TrainingReport report{.parameters = document.parameters,
                          .schedule = request.schedule,
                          .coverage = fit.coverage,
                          .points = {},
                          .notes = document.notes};
    for (const std::vector<double>& point : points) report.points.push_back(model.at(point));
    const training::TrainingTime& first = report.points.front();
    if (request.schedule.dataset_size > 0 && first.batch <= 0.0) {
        report.notes.emplace_back(
            "how many samples a step has is not known, so that there is no time of an epoch; give --batch");
    }
    if (request.schedule.validation_size > 0 && !first.validation_step) {
        report.notes.emplace_back("no steps of validation were profiled; those of training stand for them");
    }
    for (std::string& remark : remarks_on_points(document, points)) report.notes.push_back(std::move(remark));
    return report;
}

}  // namespace plimsoll::app
