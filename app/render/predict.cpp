#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

/// Relative error of a prediction; not a number where nothing was measured or zero was.
double relative_error(const PredictionRow& row) {
    if (!row.measured || *row.measured == 0.0) return std::numeric_limits<double>::quiet_NaN();
    return (row.value - *row.measured) / std::abs(*row.measured);
}

}  // namespace

std::string to_text(const PredictReport& report, const Style& style) {
    bool compares = false;
    bool several_metrics = false;
    std::optional<double> coverage;
    for (const PredictionRow& row : report.rows) {
        compares = compares || row.measured.has_value();
        if (row.interval) coverage = row.interval->coverage;
        several_metrics = several_metrics || row.metric != report.rows.front().metric;
    }
    std::vector<Table::Column> columns{{"at"}, {"share", Align::right}, {"predicted", Align::right}};
    if (coverage) columns.push_back({fmt::format("{:.4g} % interval", 100.0 * *coverage)});
    if (compares) columns.insert(columns.end(), {{"measured", Align::right}, {"error", Align::right}});
    if (several_metrics) columns.push_back({"metric"});
    columns.push_back({"region"});
    Table table(columns);
    for (const PredictionRow& row : report.rows) {
        std::vector<std::string> cells{assignments(report.parameters, row.at), percent(row.share),
                                       with_unit(row.value, row.unit)};
        if (coverage) cells.push_back(interval_text(row.interval));
        if (compares) {
            cells.push_back(row.measured ? with_unit(*row.measured, row.unit) : "-");
            const double error = relative_error(row);
            cells.push_back(std::isfinite(error) ? fmt::format("{:+.1f} %", 100.0 * error) : "-");
        }
        if (several_metrics) cells.push_back(row.metric);
        cells.push_back(row.region);
        table.add(std::move(cells));
    }
    return table.text(style);
}

std::string to_lines(const PredictReport& report) {
    std::string text;
    for (const PredictionRow& row : report.rows) {
        text += fmt::format("{}\t{}\t{}\t{}\n", row.region, row.metric,
                            assignments(report.parameters, row.at), shortest(row.value));
    }
    return text;
}

std::string to_json(const PredictReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.predict/1").key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().key("predictions").begin_array();
    for (const PredictionRow& row : report.rows) {
        json.begin_object()
            .member("region", row.region)
            .member("metric", row.metric)
            .member("unit", row.unit);
        json.numbers("at", report.parameters, row.at).member("value", row.value).member("share", row.share);
        if (row.interval) {
            json.key("interval").begin_object().member("coverage", row.interval->coverage);
            json.member("low", row.interval->low).member("high", row.interval->high).end_object();
        }
        if (row.measured)
            json.member("measured", *row.measured).member("relative_error", relative_error(row));
        json.end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
