#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/transform.hpp"

namespace plimsoll::experiment {

namespace {

/// Points that differ in one parameter only, in its order.
using Line = std::vector<PointId>;

/// The region that stands for the program: `main`, else the first one.
std::optional<RegionId> root_region(const Experiment& experiment) {
    const auto is_main = [](std::string_view name) { return lower_case(name) == "main"; };
    std::string_view root;
    for (const Region& region : experiment.regions) {
        const std::string_view outermost = std::string_view(region.path).substr(0, find_arrow(region.path));
        if (root.empty() || is_main(outermost)) root = outermost;
        if (is_main(root)) break;
    }
    const auto found = std::ranges::find(experiment.regions, root, &Region::path);
    if (found == experiment.regions.end()) return std::nullopt;
    return static_cast<RegionId>(found - experiment.regions.begin());
}

/// Whether Extra-P's tags keep a region out of sums.
bool is_left_out_of_sums(const Region& region) {
    if (region.tags.empty()) return false;
    const auto tags = nlohmann::json::parse(region.tags, nullptr, false);
    const auto is_set = [&](const char* key) {
        const auto found = tags.find(key);
        return found != tags.end() && found->is_boolean() && found->get<bool>();
    };
    return tags.is_object() && (is_set("agg__disabled") || is_set("agg__usage_disabled"));
}

/// The longest line of a series along a parameter; of equally long ones that with the largest values.
Line longest_line(const Experiment& experiment, const Series& series, std::size_t axis) {
    struct Candidate {
        Line points;
        double sum = 0.0;
    };
    std::map<std::vector<double>, Candidate> lines;  // by the other coordinates
    for (const Measurement& measurement : series.measurements) {
        const auto point = experiment.point(measurement.point);
        std::vector<double> others(point.begin(), point.end());
        others[axis] = 0.0;
        Candidate& line = lines[others];
        line.points.push_back(measurement.point);
        line.sum += measurement.summary.mean;
    }
    const auto best = std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.points.size(), a.second.sum) <
               std::pair(b.second.points.size(), b.second.sum);
    });
    if (best == lines.end()) return {};
    Line line = best->second.points;
    std::sort(line.begin(), line.end(),
              [&](PointId a, PointId b) { return experiment.point(a)[axis] < experiment.point(b)[axis]; });
    return line;
}

/// Variance of the repetitions' means; 0 where it is not known.
double variance_of_repetitions(const Series& series, const Measurement& measurement) {
    if (measurement.value_count > 0) {
        const double deviation = numeric::summarize(repetition_means(series, measurement)).deviation;
        return deviation * deviation;
    }
    return measurement.complete_summary ? measurement.summary.deviation * measurement.summary.deviation : 0.0;
}

double mean_of(const Series& /*series*/, const Measurement& measurement) { return measurement.summary.mean; }

/// A number of each measurement along a line, added over the regions that were measured at all its points.
/// Where values are inclusive those of the root are the total.
std::vector<double> totals(const Experiment& experiment, const Series& root, const Line& line,
                           double (*number)(const Series&, const Measurement&)) {
    std::vector<std::size_t> place_of(experiment.point_count(), line.size());
    for (std::size_t i = 0; i < line.size(); ++i) place_of[index(line[i])] = i;
    std::vector<double> sums(line.size());
    std::vector<double> parts(line.size());
    for (const Series& series : experiment.series) {
        if (series.metric != root.metric || is_left_out_of_sums(experiment.region(series))) continue;
        if (experiment.inclusive && series.region != root.region) continue;
        std::size_t found = 0;
        for (const Measurement& measurement : series.measurements) {
            const std::size_t place = place_of[index(measurement.point)];
            if (place == line.size()) continue;
            parts[place] = number(series, measurement);
            ++found;
        }
        if (found < line.size()) continue;
        for (std::size_t i = 0; i < line.size(); ++i) sums[i] += parts[i];
    }
    return sums;
}

/// Whether totals fall at every step and stay above zero, as a time does, and by a fifth in all.
bool falls(const std::vector<double>& totals) {
    constexpr double least_share = 0.2;
    if (totals.size() < 2 || totals.back() <= 0.0) return false;
    for (std::size_t i = 1; i < totals.size(); ++i) {
        if (!(totals[i] < totals[i - 1])) return false;
    }
    return totals.front() - totals.back() >= least_share * totals.front();
}

/// Whether first and last total lie further apart than three times the spread of the repetitions.
bool is_clear(const std::vector<double>& totals, const std::vector<double>& variances) {
    constexpr double deviations = 3.0;
    return totals.front() - totals.back() > deviations * std::sqrt(variances.front() + variances.back());
}

std::string remark(const Experiment& experiment, const Metric& metric, std::size_t axis, const Line& line,
                   const std::vector<double>& sums) {
    const std::string& parameter = experiment.parameters[axis].name;
    const std::string unit = metric.unit.empty() ? "" : " " + metric.unit;
    std::vector<std::string> steps;
    const auto show = [&](std::size_t i) {
        steps.push_back(fmt::format("{:.4g}{} at {}={}", sums[i], unit, parameter,
                                    shortest(experiment.point(line[i])[axis])));
    };
    show(0);
    show(1);
    if (line.size() > 3) steps.emplace_back("...");
    if (line.size() > 2) show(line.size() - 1);
    const auto known = processes_parameter(experiment, "");
    return fmt::format(
        "the total {0} falls at every step of {1} ({2}); this may be strong scaling: if the problem "
        "is the same at every value of {1}, --scaling strong{3} models what all processes take together",
        metric.name, parameter, join(steps, ", "),
        known ? "" : fmt::format(" --processes-parameter {}", parameter));
}

/// Whether --scaling strong changes how a series grows with a parameter.
bool would_change(const Experiment& experiment, const Series& series, std::size_t axis) {
    if (series.locations.empty() && !is_time(experiment.metric(series))) return false;
    const auto processes = processes_parameter(experiment, "");
    return !processes || *processes == axis;
}

}  // namespace

std::vector<std::string> strong_scaling_remarks(const Experiment& experiment) {
    std::vector<std::string> remarks;
    const auto root = root_region(experiment);
    if (experiment.scaling == Scaling::strong || experiment.parameters.empty()) return remarks;
    const auto& metrics = experiment.metrics;
    const bool has_time =
        std::any_of(metrics.begin(), metrics.end(), [](const Metric& m) { return m.name == "time"; });
    for (std::size_t axis = 0; axis < experiment.parameters.size(); ++axis) {
        for (std::size_t m = 0; m < metrics.size(); ++m) {
            if (has_time && metrics[m].name != "time") continue;
            const auto metric = static_cast<MetricId>(m);
            const auto of_metric = [&](const Series& s) { return s.metric == metric; };
            const auto of_root = [&](const Series& s) { return s.metric == metric && s.region == root; };
            auto series = std::find_if(experiment.series.begin(), experiment.series.end(), of_root);
            if (series == experiment.series.end()) {
                series = std::find_if(experiment.series.begin(), experiment.series.end(), of_metric);
            }
            if (series == experiment.series.end() || !would_change(experiment, *series, axis)) continue;
            const Line line = longest_line(experiment, *series, axis);
            const std::vector<double> sums = totals(experiment, *series, line, mean_of);
            if (!falls(sums)) continue;
            if (!is_clear(sums, totals(experiment, *series, line, variance_of_repetitions))) continue;
            remarks.push_back(remark(experiment, metrics[m], axis, line, sums));
            break;
        }
    }
    return remarks;
}

}  // namespace plimsoll::experiment
