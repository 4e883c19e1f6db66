#include "app/commands/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "app/commands/measured_beside.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/units.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;
using model::RegionModel;

/// Metrics in the order in which the models name them, each with its position.
std::map<std::string, std::size_t> metric_order(const FitDocument& document) {
    std::map<std::string, std::size_t> order;
    for (const RegionModel& m : document.models) order.try_emplace(m.metric, order.size());
    return order;
}

/// What rows of a metric are ordered by: the share, rows without one last.
double rank_of(const PredictionRow& row) { return std::isfinite(row.share) ? row.share : -1.0; }

/// Points and values of the measurements to compare with, by the points of the models.
struct Measured {
    std::vector<std::vector<double>> points;
    std::map<std::tuple<std::string, std::string, std::vector<double>>, double>
        values;  ///< by region, metric, point
    std::vector<std::string> notes;
};

/// What the values of a metric are multiplied by to be in the unit of its models; notes where that is not 1.
double factor_to_models(const experiment::Metric& metric, const FitDocument& document, const Place& place,
                        std::vector<std::string>& notes) {
    const auto model = std::find_if(document.models.begin(), document.models.end(),
                                    [&](const RegionModel& m) { return m.metric == metric.name; });
    if (model == document.models.end() || model->unit == metric.unit || model->unit.empty() ||
        metric.unit.empty()) {
        return 1.0;
    }
    const auto factor = experiment::unit_factor(metric.unit, model->unit);
    if (!factor) {
        throw Error(ErrorKind::input, place,
                    fmt::format("metric '{}' is in '{}' here, and in '{}' in the models", metric.name,
                                metric.unit, model->unit),
                    "convert the values to one unit");
    }
    if (*factor != 1.0) {
        notes.push_back(fmt::format("{}: '{}' is converted from {} to {}, the unit of the models", place.file,
                                    metric.name, metric.unit, model->unit));
    }
    return *factor;
}

Measured read_measured(const PredictRequest& request, const FitDocument& document, Progress& progress) {
    const MeasuredBeside beside =
        read_beside(request.models, document, request.against, "compare with", progress);
    const experiment::Experiment& experiment = beside.experiment;
    const std::vector<std::size_t>& axis_of = beside.axis_of;
    const Place place{.file = request.against.front()};
    const auto point_of = [&](experiment::PointId id) {
        std::vector<double> point;
        point.reserve(axis_of.size());
        for (const std::size_t axis : axis_of) point.push_back(experiment.point(id)[axis]);
        return point;
    };
    Measured measured;
    for (std::size_t i = 0; i < experiment.point_count(); ++i) {
        measured.points.push_back(point_of(static_cast<experiment::PointId>(i)));
    }
    std::vector<double> factors;
    for (const experiment::Metric& metric : experiment.metrics) {
        factors.push_back(factor_to_models(metric, document, place, measured.notes));
    }
    for (const experiment::Series& series : experiment.series) {
        const double factor = factors[experiment::index(series.metric)];
        for (const experiment::Measurement& m : series.measurements) {
            const double value = factor * model::value_of(m, request.models.fit.fit.statistic);
            measured
                .values[{experiment.region(series).path, experiment.metric(series).name, point_of(m.point)}] =
                value;
        }
    }
    return measured;
}

}  // namespace

PredictReport predict(PredictRequest request, Progress& progress) {
    if (request.models.fit.at.empty() && request.against.empty()) {
        throw Error(ErrorKind::usage, "no point to predict",
                    "give one, such as --at p=4096, or measurements to compare with, --against FILE");
    }
    FitDocument document = models_of(request.models, progress);
    Measured measured;
    if (!request.against.empty()) measured = read_measured(request, document, progress);
    std::vector<std::vector<double>> points;
    for (const std::string& at : request.models.fit.at)
        points.push_back(parse_point(at, document.parameters, document.smallest, document.largest));
    points.insert(points.end(), measured.points.begin(), measured.points.end());
    for (const std::vector<double>& point : points)
        model::predict(document, point, request.models.fit.fit.coverage);

    PredictReport report{.parameters = document.parameters, .rows = {}, .notes = notes_of(document)};
    report.notes.insert(report.notes.end(), measured.notes.begin(), measured.notes.end());
    const std::map<std::string, std::size_t> order = metric_order(document);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t begin = report.rows.size();
        for (const RegionModel& m : document.models) {
            if (m.status != model::Status::ok) continue;
            const model::Prediction& prediction = m.predictions[i];
            const auto found = measured.values.find({m.region, m.metric, prediction.at});
            report.rows.push_back(
                {.region = m.region,
                 .metric = m.metric,
                 .unit = m.unit,
                 .at = prediction.at,
                 .value = prediction.value,
                 .share = prediction.share,
                 .interval = prediction.interval,
                 .measured = found == measured.values.end() ? std::nullopt : std::optional(found->second)});
        }
        std::stable_sort(report.rows.begin() + static_cast<std::ptrdiff_t>(begin), report.rows.end(),
                         [&](const PredictionRow& a, const PredictionRow& b) {
                             return std::pair(order.at(a.metric), -rank_of(a)) <
                                    std::pair(order.at(b.metric), -rank_of(b));
                         });
    }
    if (!measured.points.empty() &&
        std::none_of(report.rows.begin(), report.rows.end(),
                     [](const PredictionRow& row) { return row.measured.has_value(); })) {
        report.notes.emplace_back("none of the regions with a model was measured in --against");
    }
    for (std::string& line : without_model(document)) report.notes.push_back(std::move(line));
    return report;
}

}  // namespace plimsoll::app
