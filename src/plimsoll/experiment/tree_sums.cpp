#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/call_tree.hpp"
#include "plimsoll/experiment/detail/transform_steps.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();

/// One of the measurements that make a sum.
struct Part {
    std::size_t slot;  ///< of the point in the sum
    const Series* series;
    const Measurement* measurement;
};

bool have_equal_shapes(std::span<const Part> parts) {
    const Part& first = parts.front();
    return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
        return part.measurement->value_count > 0 &&
               part.measurement->value_count == first.measurement->value_count &&
               part.measurement->repetitions == first.measurement->repetitions &&
               std::ranges::equal(part.series->locations_of(*part.measurement),
                                  first.series->locations_of(*first.measurement));
    });
}

/// Sums of several series of one metric, point by point.
class SeriesSum {
  public:
    explicit SeriesSum(std::size_t point_count) : slot_of_(point_count, absent) {}

    [[nodiscard]] Series sum(RegionId region, MetricId metric, std::span<const Series* const> series);

    [[nodiscard]] std::size_t gaps() const { return gaps_; }
    [[nodiscard]] std::size_t summaries() const { return summaries_; }

  private:
    void collect(std::span<const Series* const> series);
    static void add_values(std::span<const Part> parts, Series& sum, Measurement& measurement);
    static void add_summaries(std::span<const Part> parts, Measurement& measurement);

    std::vector<std::size_t> slot_of_;  ///< by point
    std::vector<Part> parts_;           ///< in order of slots
    std::size_t gaps_ = 0;              ///< measurements that a sum lacks
    std::size_t summaries_ = 0;         ///< sums of summaries where values do not match
};

void SeriesSum::collect(std::span<const Series* const> series) {
    parts_.clear();
    std::size_t slots = 0;
    for (const Series* const s : series) {
        for (const Measurement& measurement : s->measurements) {
            std::size_t& slot = slot_of_[index(measurement.point)];
            if (slot == absent) slot = slots++;
            parts_.push_back({.slot = slot, .series = s, .measurement = &measurement});
        }
    }
    for (const Part& part : parts_) slot_of_[index(part.measurement->point)] = absent;
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.slot < b.slot; });
    gaps_ += slots * series.size() - parts_.size();
}

void SeriesSum::add_values(std::span<const Part> parts, Series& sum, Measurement& measurement) {
    const Part& first = parts.front();
    measurement.first_value = sum.values.size();
    measurement.value_count = first.measurement->value_count;
    measurement.first_repetition = sum.locations.size();
    const auto locations = first.series->locations_of(*first.measurement);
    sum.locations.insert(sum.locations.end(), locations.begin(), locations.end());
    if (locations.empty()) sum.locations.insert(sum.locations.end(), measurement.repetitions, 1U);
    sum.values.resize(sum.values.size() + measurement.value_count, 0.0);
    for (const Part& part : parts) {
        const std::span<const double> values = part.series->values_of(*part.measurement);
        for (std::size_t i = 0; i < values.size(); ++i) sum.values[measurement.first_value + i] += values[i];
    }
    measurement.summary = numeric::summarize(std::as_const(sum).values_of(measurement));
}

void SeriesSum::add_summaries(std::span<const Part> parts, Measurement& measurement) {
    double variance = 0.0;
    for (const Part& part : parts) {
        const numeric::Summary& summary = part.measurement->summary;
        measurement.summary.mean += summary.mean;
        measurement.summary.median += summary.median;
        measurement.summary.minimum += summary.minimum;
        measurement.summary.maximum += summary.maximum;
        variance += summary.deviation * summary.deviation;
        measurement.repetitions = std::min(measurement.repetitions, part.measurement->repetitions);
        measurement.complete_summary = measurement.complete_summary && part.measurement->complete_summary;
    }
    measurement.summary.deviation = std::sqrt(variance);
}

Series SeriesSum::sum(RegionId region, MetricId metric, std::span<const Series* const> series) {
    collect(series);
    Series total{.region = region, .metric = metric, .measurements = {}, .values = {}, .locations = {}};
    for (auto begin = parts_.begin(); begin != parts_.end();) {
        const auto end =
            std::find_if(begin, parts_.end(), [&](const Part& part) { return part.slot != begin->slot; });
        const std::span<const Part> parts(&*begin, static_cast<std::size_t>(end - begin));
        Measurement measurement{.point = begin->measurement->point,
                                .repetitions = begin->measurement->repetitions,
                                .summary = {}};
        if (have_equal_shapes(parts)) {
            add_values(parts, total, measurement);
        } else {
            add_summaries(parts, measurement);
            const auto has_values = [](const Part& part) { return part.measurement->value_count > 0; };
            if (parts.size() > 1 && std::any_of(parts.begin(), parts.end(), has_values)) ++summaries_;
        }
        total.measurements.push_back(measurement);
        begin = end;
    }
    const bool has_locations =
        std::any_of(series.begin(), series.end(), [](const Series* s) { return !s->locations.empty(); });
    if (!has_locations) total.locations.clear();
    return total;
}

/// Makes each node of the tree that has no region one, with its path.
void name_inner_nodes(Experiment& experiment, CallTree& tree) {
    constexpr std::size_t most_bytes = std::size_t{1} << 26U;
    std::size_t bytes = 0;
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
        CallTree::Node& node = tree.nodes[i];
        if (node.region) continue;
        const CallTree::Node& parent = tree.nodes[node.parent];
        std::string path = node.parent == 0
                               ? node.name
                               : path_below(experiment.regions[index(*parent.region)].path, node.name);
        bytes += path.size();
        if (bytes > most_bytes) {
            throw Error(ErrorKind::usage,
                        fmt::format("the call tree is too deep to sum up ({} nodes)", tree.nodes.size()),
                        "leave --tree out, or choose regions with --region");
        }
        node.region = static_cast<RegionId>(experiment.regions.size());
        experiment.regions.push_back({.path = std::move(path), .tags = {}});
    }
}

/// The series of a metric at each node, absent where nothing below it was measured. New ones are empty.
std::vector<std::size_t> series_of_nodes(Experiment& experiment, const CallTree& tree, MetricId metric,
                                         std::span<const std::size_t> measured) {
    std::vector<std::size_t> series_of(tree.nodes.size(), absent);
    std::vector<bool> needed(tree.nodes.size(), false);
    for (const std::size_t s : measured) {
        std::size_t node = tree.node_of[index(experiment.series[s].region)];
        series_of[node] = s;
        for (; node != 0 && !needed[node]; node = tree.nodes[node].parent) needed[node] = true;
    }
    for (std::size_t node = 1; node < tree.nodes.size(); ++node) {
        if (!needed[node] || series_of[node] != absent) continue;
        series_of[node] = experiment.series.size();
        experiment.series.push_back({.region = *tree.nodes[node].region,
                                     .metric = metric,
                                     .measurements = {},
                                     .values = {},
                                     .locations = {}});
    }
    return series_of;
}

}  // namespace

void sum_sub_trees(Experiment& experiment) {
    CallTree tree = build_call_tree(experiment);
    name_inner_nodes(experiment, tree);
    std::vector<std::vector<std::size_t>> measured(experiment.metrics.size());
    for (std::size_t i = 0; i < experiment.series.size(); ++i)
        measured[index(experiment.series[i].metric)].push_back(i);

    SeriesSum adder(experiment.point_count());
    std::vector<const Series*> parts;
    for (std::size_t m = 0; m < measured.size(); ++m) {
        const auto metric = static_cast<MetricId>(m);
        const auto series_of = series_of_nodes(experiment, tree, metric, measured[m]);
        for (std::size_t node = tree.nodes.size();
             node-- > 1;) {  // children come before their parents this way
            if (series_of[node] == absent || tree.nodes[node].children.empty()) continue;
            Series& own = experiment.series[series_of[node]];
            parts.clear();
            if (!own.measurements.empty()) parts.push_back(&own);
            for (const std::size_t child : tree.nodes[node].children) {
                if (series_of[child] != absent) parts.push_back(&experiment.series[series_of[child]]);
            }
            own = adder.sum(own.region, metric, parts);
        }
    }
    if (adder.gaps() > 0) {
        experiment.notes.push_back(
            {.place = {},
             .message = "an inclusive value lacks a region that was not measured at its point",
             .count = adder.gaps()});
    }
    if (adder.summaries() > 0) {
        experiment.notes.push_back({.place = {},
                                    .message =
                                        "an inclusive value is the sum of summaries, since its regions have "
                                        "different numbers of repetitions or locations",
                                    .count = adder.summaries()});
    }
}

}  // namespace plimsoll::experiment::detail
