#include "app/commands/show.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/call_tree.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::app {

namespace {

using experiment::Experiment;
using experiment::Measurement;
using experiment::Series;

ShownSeries describe(const Experiment& experiment, const Series& series) {
    ShownSeries shown{.metric = experiment.metric(series).name,
                      .unit = experiment.metric(series).unit,
                      .points = series.measurements.size(),
                      .repetitions = std::numeric_limits<std::size_t>::max(),
                      .smallest = std::numeric_limits<double>::infinity(),
                      .largest = -std::numeric_limits<double>::infinity()};
    std::vector<double> spreads;
    for (const Measurement& m : series.measurements) {
        shown.repetitions = std::min<std::size_t>(shown.repetitions, m.repetitions);
        shown.most_repetitions = std::max<std::size_t>(shown.most_repetitions, m.repetitions);
        shown.smallest = std::min(shown.smallest, m.summary.mean);
        shown.largest = std::max(shown.largest, m.summary.mean);
        for (const std::uint32_t count : series.locations_of(m)) {
            shown.locations = std::max<std::size_t>(shown.locations, count);
        }
        const bool varies =
            m.value_count > 1 || (m.value_count == 0 && m.complete_summary && m.repetitions > 1);
        if (varies && m.summary.mean != 0.0)
            spreads.push_back(m.summary.deviation / std::abs(m.summary.mean));
    }
    shown.spread = spreads.empty() ? std::numeric_limits<double>::quiet_NaN()
                                   : numeric::summarize(std::span(spreads)).median;
    return shown;
}

/// The tree depth first, without recursion: paths come from files and may be deep.
void list_regions(const Experiment& experiment, ShowReport& report) {
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
    list_regions(experiment, report);
    report.metadata.assign(experiment.metadata.begin(), experiment.metadata.end());
    for (const experiment::Note& note : experiment.notes) report.notes.push_back(to_text(note));
    for (std::string& remark : experiment::strong_scaling_remarks(experiment))
        report.notes.push_back(std::move(remark));
    return report;
}

}  // namespace plimsoll::app
