#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

constexpr std::size_t most_values_shown = 16;

std::string values_text(const std::vector<double>& values) {
    std::vector<std::string> pieces;
    for (const double value : values) {
        if (pieces.size() == most_values_shown) {
            pieces.emplace_back("...");
            break;
        }
        pieces.push_back(shortest(value));
    }
    return join(pieces, " ");
}

std::string repetitions_text(const ShownSeries& s) {
    std::string text = s.repetitions == s.most_repetitions
                           ? std::to_string(s.repetitions)
                           : fmt::format("{}-{}", s.repetitions, s.most_repetitions);
    if (s.most_repetitions == 0) text = "?";
    if (s.locations > 1) text += fmt::format(" x {}", s.locations);
    return text;
}

/// A table of the points of each region and metric that has some.
std::string points_text(const ShowReport& report, const Style& style) {
    constexpr std::size_t most_series = 20;
    std::string text;
    std::size_t series = 0;
    for (const ShownRegion& region : report.regions) {
        for (const ShownSeries& s : region.series) {
            if (s.measured.empty() || ++series > most_series) continue;
            std::vector<Table::Column> columns;
            for (const std::string& name : report.parameters) columns.push_back({name, Align::right});
            columns.insert(columns.end(), {{"repetitions", Align::right},
                                           {"mean", Align::right},
                                           {"median", Align::right},
                                           {"deviation", Align::right}});
            Table table(columns);
            for (const ShownPoint& point : s.measured) {
                std::vector<std::string> row;
                for (const double x : point.at) row.push_back(shortest(x));
                row.push_back(point.repetitions == 0 ? "?" : std::to_string(point.repetitions));
                row.push_back(short_number(point.mean));
                row.push_back(short_number(point.median));
                row.push_back(percent(point.deviation));
                table.add(std::move(row));
            }
            text += fmt::format(
                "\n{}\n{}", style.bold(fmt::format("{}, {}", region.path, metric_title(s.metric, s.unit))),
                table.text(style));
        }
    }
    if (series > most_series) {
        text += fmt::format("\npoints of {} more: choose fewer with --region, or see --json\n",
                            series - most_series);
    }
    return text;
}

void write_points(JsonWriter& json, const std::vector<std::string>& parameters,
                  const std::vector<ShownPoint>& points) {
    json.key("measured").begin_array();
    for (const ShownPoint& point : points) {
        json.begin_object().numbers("at", parameters, point.at);
        json.member("repetitions", point.repetitions).member("mean", point.mean);
        json.member("median", point.median).member("deviation", point.deviation).end_object();
    }
    json.end_array();
}

}  // namespace

std::string to_text(const ShowReport& report, const Style& style) {
    std::string text = style.bold("parameters") + "\n";
    for (std::size_t k = 0; k < report.parameters.size(); ++k) {
        text += fmt::format("  {}: {} ({})\n", report.parameters[k], values_text(report.axis_values[k]),
                            counted(report.axis_values[k].size(), "value"));
    }
    std::size_t grid = 1;
    for (const auto& values : report.axis_values) grid *= values.size();
    text += fmt::format("  {}", counted(report.points.size(), "point"));
    if (report.parameters.size() > 1 && report.points.size() < grid) {
        text += fmt::format(" of the {} in the full grid", grid);
    } else if (report.parameters.size() > 1) {
        text += ", the full grid";
    }
    text += "\n\n";
    Table table({{"region"},
                 {"metric"},
                 {"points", Align::right},
                 {"repetitions", Align::right},
                 {"spread", Align::right},
                 {"at most", Align::right},
                 {"one run", Align::right},
                 {"smallest", Align::right},
                 {"largest", Align::right}});
    for (const ShownRegion& region : report.regions) {
        std::string name = std::string(2 * static_cast<std::size_t>(region.depth), ' ') + region.name;
        if (!region.measured) table.add({name, "-", "-", "-", "-", "-", "-", "-", "-"});
        for (const ShownSeries& s : region.series) {
            const std::string points = s.points == report.points.size()
                                           ? std::to_string(s.points)
                                           : fmt::format("{} of {}", s.points, report.points.size());
            table.add({name, s.metric, points, repetitions_text(s), percent(s.spread),
                       percent(s.largest_spread), percent(s.noise.run_deviation),
                       with_unit(s.smallest, s.unit), with_unit(s.largest, s.unit)});
            std::fill(name.begin(), name.end(), ' ');
        }
    }
    text += table.text(style) + points_text(report, style);
    if (!report.metadata.empty()) {
        text += "\n" + style.bold("metadata") + "\n";
        for (const auto& [name, value] : report.metadata) text += fmt::format("  {}: {}\n", name, value);
    }
    return text;
}

std::string to_lines(const ShowReport& report) {
    std::string text;
    for (const ShownRegion& region : report.regions) {
        if (region.measured) text += region.path + "\n";
    }
    return text;
}

std::string to_json(const ShowReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.show/1").key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().key("points").begin_array();
    for (const auto& point : report.points) {
        json.begin_object();
        for (std::size_t k = 0; k < point.size(); ++k) json.member(report.parameters[k], point[k]);
        json.end_object();
    }
    json.end_array().key("regions").begin_array();
    for (const ShownRegion& region : report.regions) {
        json.begin_object().member("region", region.path).member("depth", region.depth);
        json.member("measured", region.measured).key("metrics").begin_array();
        for (const ShownSeries& s : region.series) {
            json.begin_object().member("metric", s.metric).member("unit", s.unit).member("points", s.points);
            json.member("fewest_repetitions", s.repetitions).member("most_repetitions", s.most_repetitions);
            json.member("locations", s.locations).member("spread", s.spread);
            json.member("largest_spread", s.largest_spread);
            json.member("smallest", s.smallest).member("largest", s.largest).key("noise");
            model::write(json, s.noise, report.parameters);
            if (!s.measured.empty()) write_points(json, report.parameters, s.measured);
            json.end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().key("metadata").begin_object();
    for (const auto& [name, value] : report.metadata) json.key(name).raw(value);
    json.end_object().key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
