#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::Change;
using model::RegionChange;

std::string growth_text(const RegionChange& change) {
    if (change.growth_before.empty()) return "-";
    if (!change.growth_changed) return "same";
    return fmt::format("{} to {}", change.growth_before, change.growth_after);
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "-"; }

std::string range_text(const model::Estimate& e) {
    if (!std::isfinite(e.low) || !std::isfinite(e.high)) return "-";
    return fmt::format("{} to {}", ratio_text(e.low), ratio_text(e.high));
}

/// "main->io, main->sort (bytes)".
std::string names_text(const std::vector<std::pair<std::string, std::string>>& names) {
    std::vector<std::string> pieces;
    for (const auto& [region, metric] : names) {
        const bool is_plain = metric.empty() || metric == "time";
        pieces.push_back(is_plain ? region : fmt::format("{} [{}]", region, metric));
    }
    return join(pieces, ", ");
}

/// The point that stands for a change in a table: the last one, which mostly is the largest.
const model::PointChange& shown_point(const RegionChange& change) {
    return *std::max_element(change.points.begin(), change.points.end(),
                             [](const auto& a, const auto& b) { return a.at < b.at; });
}

std::string summary(const CompareReport& report) {
    const std::size_t slower = report.count(Change::slower);
    const std::size_t faster = report.count(Change::faster);
    std::string text = fmt::format("{} slower, {} faster, {} unclear, {} alike", slower, faster,
                                   report.count(Change::unclear), report.count(Change::alike));
    if (slower + faster > 0) {
        text += fmt::format("; at most {:.3g} % of what is slower or faster is expected to be so by chance",
                            100.0 * (1.0 - report.options.confidence));
    }
    return text + "\n";
}

void write_change(JsonWriter& json, const CompareReport& report, const RegionChange& change) {
    json.begin_object()
        .member("region", change.region)
        .member("metric", change.metric)
        .member("unit", change.unit);
    json.member("verdict", enum_name(change.verdict)).member("ratio", change.ratio.value);
    json.key("interval").begin_object().member("coverage", report.options.confidence);
    json.member("low", change.ratio.low).member("high", change.ratio.high).end_object();
    json.member("slower_probability", change.slower_probability).member("p_value", change.p_value);
    json.member("adjusted_p_value", change.adjusted_p_value);
    if (!change.growth_before.empty()) {
        json.key("growth").begin_object().member("before", change.growth_before);
        json.member("after", change.growth_after).member("changed", change.growth_changed).end_object();
    }
    json.key("points").begin_array();
    for (const model::PointChange& point : change.points) {
        json.begin_object().numbers("at", report.parameters, point.at);
        json.member("before", point.before).member("after", point.after).end_object();
    }
    json.end_array().end_object();
}

void write_names(JsonWriter& json, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& names) {
    json.key(key).begin_array();
    for (const auto& [region, metric] : names)
        json.begin_object().member("region", region).member("metric", metric).end_object();
    json.end_array();
}

}  // namespace

std::string to_text(const CompareReport& report, const Style& style) {
    const auto& changes = report.comparison.changes;
    std::string text;
    if (!changes.empty()) {
        const bool several_metrics =
            std::any_of(changes.begin(), changes.end(),
                        [&](const RegionChange& change) { return change.metric != changes.front().metric; });
        std::vector<Table::Column> columns{
            {"verdict"},
            {"ratio", Align::right},
            {fmt::format("{:.4g} % interval", 100.0 * report.options.confidence)},
            {"slower with", Align::right},
            {"at"},
            {"before", Align::right},
            {"after", Align::right},
            {"growth"}};
        if (several_metrics) columns.push_back({"metric"});
        columns.push_back({"region"});
        Table table(columns);
        for (const RegionChange& change : changes) {
            const model::PointChange& point = shown_point(change);
            std::string at = assignments(report.parameters, point.at);
            if (change.points.size() > 1) at += fmt::format(" of {} points", change.points.size());
            std::vector<std::string> row{std::string(enum_name(change.verdict)),
                                         ratio_text(change.ratio.value),
                                         range_text(change.ratio),
                                         percent(change.slower_probability),
                                         std::move(at),
                                         with_unit(point.before, change.unit),
                                         with_unit(point.after, change.unit),
                                         growth_text(change)};
            if (several_metrics) row.push_back(change.metric);
            row.push_back(change.region);
            table.add(std::move(row));
        }
        text = table.text(style);
    }
    const auto only = [&](const std::string& path, const auto& names) {
        if (!names.empty()) text += fmt::format("only in {}: {}\n", path, names_text(names));
    };
    only(report.before, report.comparison.only_before);
    only(report.after, report.comparison.only_after);
    return text + summary(report);
}

std::string to_lines(const CompareReport& report) {
    std::string text;
    for (const RegionChange& change : report.comparison.changes) {
        if (change.verdict != Change::slower && change.verdict != Change::faster) continue;
        text += fmt::format("{}\t{}\t{}\t{}", enum_name(change.verdict), change.region, change.metric,
                            shortest(change.ratio.value));
        if (report.predicted) text += "\t" + assignments(report.parameters, change.points.front().at);
        text += "\n";
    }
    return text;
}

std::string to_json(const CompareReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.compare/1").key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().member("before", report.before).member("after", report.after);
    json.member("by", report.predicted ? "models" : "measurements");
    json.member("confidence", report.options.confidence)
        .member("least_change", report.options.least_change.share);
    for (const auto& [verdict, name] : enum_names(Change::slower)) json.member(name, report.count(verdict));
    json.key("changes").begin_array();
    for (const RegionChange& change : report.comparison.changes) write_change(json, report, change);
    json.end_array();
    write_names(json, "only_before", report.comparison.only_before);
    write_names(json, "only_after", report.comparison.only_after);
    json.key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
