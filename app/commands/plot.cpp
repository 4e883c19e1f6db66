#include "app/commands/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/commands/measured_beside.hpp"
#include "app/commands/plot_picture.hpp"
#include "app/render/readable_formula.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/units.hpp"
#include "plimsoll/measure/parameter.hpp"
#include "plimsoll/model/predictive.hpp"
#include "plimsoll/plot/axis.hpp"

namespace plimsoll::app {

namespace {

using experiment::Experiment;
using model::FitDocument;
using model::RegionModel;

constexpr std::size_t most_charts = 8;
constexpr std::size_t most_curves = 5;

/// Models, and the measurements beside them where there are any.
struct Drawn {
    FitDocument models;
    std::optional<Experiment> measured;
    std::vector<std::size_t> axis_of;  ///< in the measurements, of each parameter of the models
};

Drawn read(PlotRequest& request, Progress& progress) {
    Drawn drawn;
    drawn.models = models_of(request.models, progress, drawn.measured);
    if (drawn.measured) {
        if (!request.against.empty())
            throw Error(ErrorKind::usage,
                        "--against has no effect beside measurements, which are drawn themselves",
                        "leave it out, or give a file of models (plimsoll fit ... -o models.json)");
        for (std::size_t k = 0; k < drawn.models.parameters.size(); ++k) drawn.axis_of.push_back(k);
    } else if (!request.against.empty()) {
        MeasuredBeside beside = read_beside(request.models, drawn.models, request.against, "draw", progress);
        drawn.measured = std::move(beside.experiment);
        drawn.axis_of = std::move(beside.axis_of);
    }
    return drawn;
}

/// What is drawn of the parameters: which one along the chart, from where to where, and the others' values.
struct Layout {
    std::size_t along = 0;
    double low = 0.0;
    double high = 0.0;
    std::vector<double> measured;         ///< values of this parameter, rising
    std::vector<std::vector<double>> at;  ///< of each curve, [parameters]
    std::vector<std::size_t> varied;      ///< parameters in which curves differ
};

/// Measured values of a parameter, rising; of models alone, the smallest and the largest.
std::vector<double> values_of(const Drawn& drawn, std::size_t parameter) {
    std::set<double> values{drawn.models.smallest[parameter], drawn.models.largest[parameter]};
    if (drawn.measured) {
        for (std::size_t i = 0; i < drawn.measured->point_count(); ++i)
            values.insert(
                drawn.measured->point(static_cast<experiment::PointId>(i))[drawn.axis_of[parameter]]);
    }
    return {values.begin(), values.end()};
}

std::size_t parameter_along(const PlotRequest& request, const FitDocument& document) {
    const std::vector<std::string>& names = document.parameters;
    const std::string& asked = request.options.along;
    if (!asked.empty()) {
        const auto found = std::find(names.begin(), names.end(), asked);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        const auto near = nearest(asked, names);
        throw Error(ErrorKind::usage, fmt::format("--along: there is no parameter '{}'", asked),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("choose one of {}", join(names, ", ")));
    }
    Experiment named;
    for (const std::string& name : names) named.parameters.push_back({.name = name, .unit = {}});
    return experiment::processes_parameter(named, request.models.fit.inputs.transform.processes_parameter)
        .value_or(0);
}

/// At most so many of some values: both ends, and others evenly between them.
std::vector<double> some_of(const std::vector<double>& values, std::size_t most) {
    if (values.size() <= most) return values;
    std::vector<double> some;
    for (std::size_t i = 0; i < most; ++i) some.push_back(values[i * (values.size() - 1) / (most - 1)]);
    return some;
}

Layout layout_of(const PlotRequest& request, const Drawn& drawn) {
    constexpr double beyond = 4.0;  // times the largest measured value
    const FitDocument& document = drawn.models;
    Layout layout{.along = parameter_along(request, document)};
    std::vector<std::vector<double>> given(document.parameters.size());
    for (const std::string& text : request.parameters) {
        const measure::ParameterValues values = measure::parse_parameter(text);
        const auto found = std::find(document.parameters.begin(), document.parameters.end(), values.name);
        if (found == document.parameters.end()) {
            const auto near = nearest(values.name, document.parameters);
            throw Error(ErrorKind::usage, fmt::format("--parameter: there is no parameter '{}'", values.name),
                        near ? fmt::format("did you mean '{}'?", *near)
                             : fmt::format("choose one of {}", join(document.parameters, ", ")));
        }
        std::vector<double>& own = given[static_cast<std::size_t>(found - document.parameters.begin())];
        for (const measure::Value& value : values.values) own.push_back(value.number);
    }
    layout.measured = values_of(drawn, layout.along);
    layout.low = document.smallest[layout.along];
    layout.high = beyond * document.largest[layout.along];
    if (const std::vector<double>& own = given[layout.along]; !own.empty()) {
        const auto [least, most] = std::minmax_element(own.begin(), own.end());
        layout.high = *most;
        if (own.size() > 1) layout.low = *least;
    }
    const std::string& name = document.parameters[layout.along];
    if (!(layout.low < layout.high))
        throw Error(
            ErrorKind::usage,
            fmt::format("from {0}={1} to {0}={2} there is nothing to draw", name, shortest(layout.low),
                        shortest(layout.high)),
            fmt::format("give a largest value above {}: --parameter {}=...", shortest(layout.low), name));

    std::vector<double> base = document.largest;
    base[layout.along] = layout.high;
    layout.at = {base};
    for (std::size_t k = 0; k < base.size(); ++k) {
        if (k == layout.along) continue;
        std::vector<double> values = given[k];
        // Without a word, curves differ in one parameter: more of them are a maze.
        if (values.empty())
            values = layout.varied.empty() ? some_of(values_of(drawn, k), most_curves) : std::vector{base[k]};
        if (values.size() > 1) layout.varied.push_back(k);
        std::vector<std::vector<double>> all;
        for (const std::vector<double>& at : layout.at) {
            for (const double value : values) {
                all.push_back(at);
                all.back()[k] = value;
            }
        }
        layout.at = std::move(all);
    }
    constexpr std::size_t too_many = 12;
    if (layout.at.size() > too_many)
        throw Error(ErrorKind::usage,
                    fmt::format("--parameter: {} curves are too many to be told apart", layout.at.size()),
                    fmt::format("give fewer values, for at most {}", too_many));
    return layout;
}

/// Measurements of a region on a curve.
std::vector<plot::Mark> marks_of(const Drawn& drawn, const RegionModel& m, const Layout& layout,
                                 const std::vector<double>& at, model::Statistic statistic) {
    std::vector<plot::Mark> marks;
    if (!drawn.measured) return marks;
    const Experiment& experiment = *drawn.measured;
    for (const experiment::Series& series : experiment.series) {
        if (experiment.region(series).path != m.region || experiment.metric(series).name != m.metric)
            continue;
        const std::string& unit = experiment.metric(series).unit;
        const double factor = unit == m.unit || unit.empty() || m.unit.empty()
                                  ? 1.0
                                  : experiment::unit_factor(unit, m.unit).value_or(0.0);
        if (factor == 0.0)
            throw Error(
                ErrorKind::input,
                fmt::format("metric '{}' is in '{}' here, and in '{}' in the models", m.metric, unit, m.unit),
                "convert the values to one unit");
        for (const experiment::Measurement& measurement : series.measurements) {
            const auto point = experiment.point(measurement.point);
            bool is_on_curve = true;
            for (std::size_t k = 0; k < at.size(); ++k)
                is_on_curve = is_on_curve && (k == layout.along || point[drawn.axis_of[k]] == at[k]);
            const double x = point[drawn.axis_of[layout.along]];
            if (!is_on_curve || x < layout.low || x > layout.high) continue;
            const std::vector<double> repetitions = experiment::repetition_means(series, measurement);
            const double value = model::value_of(measurement, statistic);
            double low = value;
            double high = value;
            for (const double repetition : repetitions) {
                low = std::min(low, repetition);
                high = std::max(high, repetition);
            }
            marks.push_back({.x = x, .value = factor * value, .low = factor * low, .high = factor * high});
        }
    }
    std::sort(marks.begin(), marks.end(), [](const plot::Mark& a, const plot::Mark& b) { return a.x < b.x; });
    return marks;
}

plot::Scale scale_of(ScaleChoice choice, plot::Scale usual) {
    if (choice == ScaleChoice::automatic) return usual;
    return choice == ScaleChoice::linear ? plot::Scale::linear : plot::Scale::logarithmic;
}

/// The axis of values: all that is drawn, with a margin; from zero where that is not far off.
plot::Axis value_axis(const std::vector<plot::Curve>& curves, const PlotOptions& options, plot::Scale along) {
    constexpr double widest_band = 3.0;  // times the largest value drawn otherwise
    constexpr std::size_t ticks = 6;
    plot::Axis axis;
    const auto plain = plot::range_of(curves, plot::Scale::linear, 1.0);
    const bool may_be_logarithmic = along == plot::Scale::logarithmic && plain && plain->smallest > 0.0;
    axis.scale =
        scale_of(options.y_scale, may_be_logarithmic ? plot::usual_scale(plain->smallest, plain->largest)
                                                     : plot::Scale::linear);
    const auto range = plot::range_of(curves, axis.scale, widest_band);
    if (!range)
        throw Error(ErrorKind::usage,
                    axis.scale == plot::Scale::logarithmic ? "--y-scale log: no value is above zero"
                                                           : "no value can be drawn",
                    "draw values nearer to the measured ones, with --y-scale linear");
    axis.low = range->smallest;
    axis.high = range->largest;
    constexpr double margin = 0.04;
    if (axis.scale == plot::Scale::logarithmic) {
        const double factor = axis.high > axis.low ? std::pow(axis.high / axis.low, margin) : 2.0;
        axis.low /= factor;
        axis.high *= factor;
    } else {
        if (axis.low > 0.0 && axis.low < 0.5 * axis.high) axis.low = 0.0;
        if (axis.low == axis.high) axis.low -= std::max(std::abs(axis.low), 1.0) * 0.5;
        const double width = axis.high - axis.low;
        axis.high += margin * width;
        if (axis.low != 0.0) axis.low -= margin * width;
    }
    axis.ticks = plot::round_ticks(axis.low, axis.high, axis.scale, ticks);
    return axis;
}

/// The axis of the parameter, with ticks where something was measured and at its end.
plot::Axis parameter_axis(const Layout& layout, const std::string& name, const PlotOptions& options) {
    constexpr double apart = 0.07;  // of the axis
    constexpr std::size_t most = 8;
    plot::Axis axis{.title = name, .low = layout.low, .high = layout.high};
    axis.scale = scale_of(options.x_scale, plot::usual_scale(layout.low, layout.high));
    if (axis.scale == plot::Scale::logarithmic && !(layout.low > 0.0))
        throw Error(ErrorKind::usage,
                    fmt::format("--x-scale log: {}={} has no logarithm", name, shortest(layout.low)),
                    fmt::format("begin above zero, such as --parameter {}=1,{}, or leave it out", name,
                                shortest(layout.high)));
    std::vector<double> candidates;
    for (const double value : layout.measured) {
        if (value >= layout.low && value <= layout.high) candidates.push_back(value);
    }
    // Beyond the measured ones, on as these went, else round values.
    constexpr double least_step = 1.3;
    const double step = candidates.size() > 1 ? candidates.back() / candidates[candidates.size() - 2] : 0.0;
    if (axis.scale == plot::Scale::logarithmic && step > least_step) {
        while (candidates.back() * step <= layout.high) candidates.push_back(candidates.back() * step);
    } else {
        const double from = candidates.empty() ? layout.low : candidates.back();
        for (const double value : plot::round_ticks(layout.low, layout.high, axis.scale, most)) {
            if (value > from) candidates.push_back(value);
        }
    }
    if (candidates.empty() || candidates.back() < layout.high) candidates.push_back(layout.high);
    axis.ticks = plot::spread_ticks(axis, candidates, apart);
    return axis;
}

RegionChart chart_of(const Drawn& drawn, const RegionModel& m, const Layout& layout,
                     const PlotRequest& request) {
    constexpr std::size_t steps = 160;  // two for each column of a wide terminal
    const FitDocument& document = drawn.models;
    const double coverage = request.models.fit.fit.coverage;
    RegionChart result{.region = m.region,
                       .metric = m.metric,
                       .unit = m.unit,
                       .formula = readable_formula(m.function, document),
                       .chart = {},
                       .at = layout.at};
    plot::Chart& chart = result.chart;
    chart.title = m.region;
    chart.subtitle = fmt::format("{} = {}", m.metric.empty() ? "value" : m.metric, result.formula);
    chart.x = parameter_axis(layout, document.parameters[layout.along], request.options);
    if (!m.posterior.forms.empty()) chart.band = fmt::format("{:.4g} % interval", 100.0 * coverage);
    for (const std::vector<double>& at : layout.at) {
        plot::Curve curve;
        std::vector<std::string> pieces;
        for (const std::size_t k : layout.varied)
            pieces.push_back(fmt::format("{}={}", document.parameters[k], shortest(at[k])));
        curve.name = join(pieces, ", ");
        std::vector<double> point = at;
        for (std::size_t i = 0; i <= steps; ++i) {
            const double share = static_cast<double>(i) / static_cast<double>(steps);
            double& x = point[layout.along];
            x = i == 0 ? layout.low : i == steps ? layout.high : plot::value_at(chart.x, share);
            const model::Estimate e = model::predicted(m.posterior, m.function, point, coverage);
            curve.x.push_back(x);
            curve.value.push_back(e.value);
            curve.low.push_back(e.low);
            curve.high.push_back(e.high);
        }
        curve.marks = marks_of(drawn, m, layout, at, request.models.fit.fit.statistic);
        chart.curves.push_back(std::move(curve));
    }
    chart.y = value_axis(chart.curves, request.options, chart.x.scale);
    chart.y.title = m.unit.empty() ? m.metric : fmt::format("{} [{}]", m.metric, m.unit);
    const double last = document.largest[layout.along];
    if (last > layout.low && last < layout.high) chart.measured_to = last;
    return result;
}

/// The regions to draw: those chosen, else the one that is largest at the end of the chart.
std::vector<const RegionModel*> regions_of(FitDocument& document, const PlotRequest& request,
                                           const Layout& layout) {
    std::vector<const RegionModel*> regions;
    for (const RegionModel& m : document.models) {
        if (m.status == model::Status::ok) regions.push_back(&m);
    }
    const experiment::TransformOptions& transform = request.models.fit.inputs.transform;
    if (!transform.regions.empty() || !transform.region_expression.empty() || regions.empty()) return regions;
    const auto value = [&](const RegionModel* m) {
        const double v = model::predicted(m->posterior, m->function, layout.at.back(), 0.5).value;
        return m->metric == regions.front()->metric && std::isfinite(v) ? v : -1.0;
    };
    return {
        *std::max_element(regions.begin(), regions.end(),
                          [&](const RegionModel* a, const RegionModel* b) { return value(a) < value(b); })};
}

}  // namespace

PlotReport plot(PlotRequest request, Progress& progress) {
    std::optional<PictureTarget> picture;  // before the work, so that a mistake costs no time
    if (!request.output.empty()) {
        picture.emplace(request.output, request.options.size);
        refuse_output_over_input(request.output, request.models.fit.inputs.paths);
        refuse_output_over_input(request.output, request.against);
    }
    Drawn drawn = read(request, progress);
    const std::string& file = request.models.fit.inputs.paths.front();
    if (drawn.models.largest.empty() || drawn.models.smallest.empty())
        throw Error(ErrorKind::input, Place{.file = file}, "does not say where its measurements end",
                    "write the models again with 'plimsoll fit ... -o models.json'");
    const Layout layout = layout_of(request, drawn);
    PlotReport report{.parameters = drawn.models.parameters,
                      .along = drawn.models.parameters[layout.along],
                      .coverage = request.models.fit.fit.coverage,
                      .charts = {},
                      .notes = notes_of(drawn.models)};
    const std::vector<const RegionModel*> regions = regions_of(drawn.models, request, layout);
    if (regions.empty())
        throw Error(ErrorKind::input, Place{.file = file}, "no region has a model to draw",
                    "measure at more points; 'plimsoll show' tells what there is");
    for (const RegionModel* const m : regions) {
        if (report.charts.size() == most_charts && !(picture && picture->holds_many())) break;
        report.charts.push_back(chart_of(drawn, *m, layout, request));
    }
    report.left_out = regions.size() - report.charts.size();
    if (!drawn.measured)
        report.notes.emplace_back(
            "models alone do not hold what was measured; --against FILE draws it beside them");
    for (std::string& line : without_model(drawn.models)) report.notes.push_back(std::move(line));
    if (picture) {
        picture->write(report);
        report.output = request.output;
    }
    return report;
}

}  // namespace plimsoll::app
