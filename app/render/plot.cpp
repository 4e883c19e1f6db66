#include <fmt/format.h>

#include <algorithm>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/plot/braille.hpp"

namespace plimsoll::app {

namespace {

void write_axis(JsonWriter& json, std::string_view key, const plot::Axis& axis) {
    json.key(key)
        .begin_object()
        .member("title", axis.title)
        .member("low", axis.low)
        .member("high", axis.high);
    json.member("scale", axis.scale == plot::Scale::linear ? "linear" : "log").end_object();
}

void write_numbers(JsonWriter& json, std::string_view key, const std::vector<double>& values) {
    json.key(key).begin_array();
    for (const double value : values) json.value(value);
    json.end_array();
}

}  // namespace

std::string to_text(const PlotReport& report, const Style& style, bool colored) {
    constexpr std::size_t rows = 16;
    std::string text;
    for (const RegionChart& one : report.charts) {
        if (!text.empty()) text += "\n";
        text += fmt::format("{}\n{}\n", style.bold(one.region), one.formula);
        text +=
            plot::braille_text(one.chart, text_width(), rows, colored ? plot::Colors::on : plot::Colors::off);
    }
    if (report.left_out > 0)
        text += fmt::format("\n{} more: choose fewer with --region, or see --json\n",
                            counted(report.left_out, "chart"));
    return text;
}

std::string next_step(const PlotReport& report) {
    return fmt::format("wrote {}: {}", report.output, counted(report.charts.size(), "chart"));
}

std::string to_lines(const PlotReport& report) {
    if (!report.output.empty()) return report.output + "\n";
    std::string text;
    for (const RegionChart& one : report.charts) {
        for (const plot::Curve& curve : one.chart.curves) {
            for (std::size_t i = 0; i < curve.x.size(); ++i)
                text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", one.region, one.metric, curve.name,
                                    shortest(curve.x[i]), curve.value[i], curve.low[i], curve.high[i]);
        }
    }
    return text;
}

std::string to_json(const PlotReport& report) {
    JsonWriter json(2);
    json.begin_object().member("schema", "plimsoll.plot/1").member("along", report.along);
    json.member("coverage", report.coverage).key("charts").begin_array();
    for (const RegionChart& one : report.charts) {
        json.begin_object()
            .member("region", one.region)
            .member("metric", one.metric)
            .member("unit", one.unit);
        json.member("formula", one.formula);
        write_axis(json, "x_axis", one.chart.x);
        write_axis(json, "y_axis", one.chart.y);
        json.key("curves").begin_array();
        for (std::size_t c = 0; c < one.chart.curves.size(); ++c) {
            const plot::Curve& curve = one.chart.curves[c];
            json.begin_object().key("at").begin_object();
            for (std::size_t k = 0; k < report.parameters.size(); ++k) {
                if (report.parameters[k] != report.along) json.member(report.parameters[k], one.at[c][k]);
            }
            json.end_object();
            write_numbers(json, "x", curve.x);
            write_numbers(json, "value", curve.value);
            if (!one.chart.band.empty()) {
                write_numbers(json, "low", curve.low);
                write_numbers(json, "high", curve.high);
            }
            json.key("measured").begin_array();
            for (const plot::Mark& mark : curve.marks) {
                json.begin_object().member("x", mark.x).member("value", mark.value);
                json.member("low", mark.low).member("high", mark.high).end_object();
            }
            json.end_array().end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().member("left_out", report.left_out).key("output");
    if (report.output.empty()) {
        json.null();
    } else {
        json.value(report.output);
    }
    json.key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
