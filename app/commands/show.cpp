#include "app/commands/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/call_tree.hpp"
#include "plimsoll/numeric/robust_deviation.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::app {

namespace {

using experiment::Experiment;
using experiment::Measurement;
using experiment::Series;

/// Of the repetitions, each with one value; as the file gives it where it has no values.
numeric::Summary over_repetitions(const Series& series, const Measurement& m) {
    if (m.value_count == 0) return m.summary;
    if (series.locations_of(m).empty()) return m.summary;  // a value is a repetition
    std::vector<double> means = experiment::repetition_means(series, m);
    return numeric::summarize(std::span(means));
}

ShownSeries describe(const Experiment& experiment, const Series& series) {
    ShownSeries shown{.metric = experiment.metric(series).name,
                      .unit = experiment.metric(series).unit,
                      .points = series.measurements.size(),
                      .repetitions = std::numeric_limits<std::size_t>::max(),
                      .smallest = std::numeric_limits<double>::infinity(),
                      .largest = -std::numeric_limits<double>::infinity()};
    shown.noise = model::noise_of(experiment, series, model::Statistic::mean);
    std::vector<double> spreads;
    for (const Measurement& m : series.measurements) {
        shown.repetitions = std::min<std::size_t>(shown.repetitions, m.repetitions);
        shown.most_repetitions = std::max<std::size_t>(shown.most_repetitions, m.repetitions);
        shown.smallest = std::min(shown.smallest, m.summary.mean);
        shown.largest = std::max(shown.largest, m.summary.mean);
        for (const std::uint32_t count : series.locations_of(m)) {
            shown.locations = std::max<std::size_t>(shown.locations, count);
        }
        const numeric::Summary repetitions = over_repetitions(series, m);
        if (m.repetitions > 1 && m.complete_summary && repetitions.mean != 0.0)
            spreads.push_back(repetitions.deviation / std::abs(repetitions.mean));
    }
    const bool known = !spreads.empty();
    shown.largest_spread =
        known ? *std::max_element(spreads.begin(), spreads.end()) : std::numeric_limits<double>::quiet_NaN();
    shown.spread =
        known ? numeric::summarize(std::span(spreads)).median : std::numeric_limits<double>::quiet_NaN();
    return shown;
}

double robust_spread(const Series& series, const Measurement& m) {
    const std::vector<double> repetitions = experiment::repetition_means(series, m);
    if (repetitions.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    const double median = numeric::summarize(std::span(repetitions)).median;
    return median == 0.0 ? std::numeric_limits<double>::quiet_NaN()
                         : numeric::robust_deviation(repetitions) / std::abs(median);
}

std::vector<ShownPoint> measured_points(const Experiment& experiment, const Series& series) {
    std::vector<ShownPoint> points;
    for (const Measurement& m : series.measurements) {
        const auto at = experiment.point(m.point);
        points.push_back({.at = {at.begin(), at.end()},
                          .repetitions = m.repetitions,
                          .mean = m.summary.mean,
                          .median = m.summary.median,
                          .deviation = robust_spread(series, m)});
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const ShownPoint& a, const ShownPoint& b) { return a.at < b.at; });
    return points;
}

constexpr std::size_t most_remarks = 5;  // of a kind

/// Names outliers, and regions whose repetitions drift.
std::vector<std::string> remarks_on_noise(const ShowReport& report) {
    std::vector<std::string> remarks;
    std::vector<std::string> drifting;
    std::size_t others = 0;
    for (const ShownRegion& region : report.regions) {
        for (const ShownSeries& s : region.series) {
            const std::string name = fmt::format("'{}' / '{}'", region.path, s.metric);
            if (s.noise.drifts) drifting.push_back(name);
            for (const model::Outlier& outlier : s.noise.outliers) {
                if (remarks.size() == most_remarks) {
                    ++others;
                    continue;
                }
                std::vector<std::string> at;
                for (std::size_t k = 0; k < outlier.at.size(); ++k)
                    at.push_back(fmt::format("{}={}", report.parameters[k], shortest(outlier.at[k])));
                const std::string unit = s.unit.empty() ? "" : " " + s.unit;
                remarks.push_back(
                    fmt::format("{} at {}: a repetition is far off: {:.4g}{}, beside a median of {:.4g}{}",
                                name, join(at, ", "), outlier.value, unit, outlier.median, unit));
            }
        }
    }
    if (others > 0) remarks.push_back(counted(others, "more outlier"));
    if (!drifting.empty()) {
        const std::size_t more = drifting.size() - 1;
        remarks.push_back(fmt::format("{}{}: repetitions drift: each lies near the one before",
                                      drifting.front(), more > 0 ? fmt::format(" and {} more", more) : ""));
    }
    return remarks;
}

bool has_outlier(const Experiment& experiment, const Series& series, const Measurement& m) {
    const auto at = experiment.point(m.point);
    const model::Noise noise = model::noise_of(experiment, series, model::Statistic::mean);
    return std::any_of(noise.outliers.begin(), noise.outliers.end(), [&](const model::Outlier& outlier) {
        return std::equal(at.begin(), at.end(), outlier.at.begin(), outlier.at.end());
    });
}

/// Names points whose repetitions differ by more than a factor of two: more than noise does.
std::vector<std::string> remarks_on_repetitions(const Experiment& experiment) {
    constexpr double most = 2.0;
    std::vector<std::string> remarks;
    std::size_t others = 0;
    for (const Series& series : experiment.series) {
        for (const Measurement& m : series.measurements) {
            const numeric::Summary repetitions = over_repetitions(series, m);
            if (m.repetitions < 2 || !m.complete_summary || repetitions.minimum <= 0.0 ||
                repetitions.maximum <= most * repetitions.minimum) {
                continue;
            }
            if (has_outlier(experiment, series, m)) continue;  // that is named
            if (remarks.size() == most_remarks) {
                ++others;
                continue;
            }
            const experiment::Metric& metric = experiment.metric(series);
            const std::string unit = metric.unit.empty() ? "" : " " + metric.unit;
            remarks.push_back(fmt::format(
                "'{}' / '{}' at {}: the repetitions lie between {:.4g}{} and {:.4g}{}",
                experiment.region(series).path, metric.name, experiment::describe_point(experiment, m.point),
                repetitions.minimum, unit, repetitions.maximum, unit));
        }
    }
    if (others > 0) {
        remarks.push_back(fmt::format("{} more differ by more than a factor of 2 between repetitions",
                                      counted(others, "measurement")));
    }
    return remarks;
}

/// Whether each point of a region is listed as well.
enum class Points { counted, listed };

/// The tree depth first, without recursion: paths come from files and may be deep.
void list_regions(const Experiment& experiment, Points points, ShowReport& report) {
    const experiment::CallTree tree = experiment::build_call_tree(experiment);
    std::vector<std::vector<const Series*>> series_of(experiment.regions.size());
    for (const Series& series : experiment.series)
        series_of[experiment::index(series.region)].push_back(&series);
    struct Visit {
        std::size_t node;
        int depth;
        std::string path;
    };
    std::vector<Visit> pending{{.node = 0, .depth = -1, .path = {}}};
    while (!pending.empty()) {
        const Visit visit = std::move(pending.back());
        pending.pop_back();
        const experiment::CallTree::Node& node = tree.nodes[visit.node];
        if (visit.depth >= 0) {
            ShownRegion region{
                .name = node.name, .path = visit.path, .depth = visit.depth, .measured = false};
            if (node.region) {
                region.path = experiment.regions[experiment::index(*node.region)].path;
                for (const Series* series : series_of[experiment::index(*node.region)]) {
                    region.series.push_back(describe(experiment, *series));
                    if (points == Points::listed)
                        region.series.back().measured = measured_points(experiment, *series);
                }
                region.measured = !region.series.empty();
            }
            report.regions.push_back(std::move(region));
        }
        for (std::size_t i = node.children.size(); i > 0; --i) {  // the last one goes deepest into the stack
            const std::size_t child = node.children[i - 1];
            const std::string& name = tree.nodes[child].name;
            pending.push_back({.node = child,
                               .depth = visit.depth + 1,
                               .path = visit.depth < 0 ? name : experiment::path_below(visit.path, name)});
        }
    }
}

}  // namespace

ShowReport show(const Inputs& inputs, Progress& progress) {
    const Experiment experiment = read_inputs(inputs, progress);
    ShowReport report;
    std::vector<std::set<double>> distinct(experiment.parameters.size());
    report.parameters = experiment.parameter_names();
    for (std::size_t i = 0; i < experiment.point_count(); ++i) {
        const auto point = experiment.point(static_cast<experiment::PointId>(i));
        report.points.emplace_back(point.begin(), point.end());
        for (std::size_t k = 0; k < point.size(); ++k) distinct[k].insert(point[k]);
    }
    for (const auto& values : distinct) report.axis_values.emplace_back(values.begin(), values.end());
    const bool are_chosen = !inputs.transform.regions.empty() || !inputs.transform.region_expression.empty();
    list_regions(experiment, are_chosen ? Points::listed : Points::counted, report);
    report.metadata.assign(experiment.metadata.begin(), experiment.metadata.end());
    for (const experiment::Note& note : experiment.notes) report.notes.push_back(to_text(note));
    for (std::string& remark : remarks_on_noise(report)) report.notes.push_back(std::move(remark));
    for (std::string& remark : remarks_on_repetitions(experiment)) report.notes.push_back(std::move(remark));
    if (inputs.transform.ranks != experiment::RankAggregate::sum) {
        for (std::string& remark : experiment::strong_scaling_remarks(experiment))
            report.notes.push_back(std::move(remark));
    }
    return report;
}

}  // namespace plimsoll::app
