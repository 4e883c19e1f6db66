#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

constexpr std::size_t most_failures = 5;  // shown with their error output

/// An argument as a shell would want it.
std::string quoted(const std::string& argument) {
    const bool is_plain =
        !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 ||
                   std::string_view("_-+=./:,%@").find(static_cast<char>(c)) != std::string_view::npos;
        });
    if (is_plain) return argument;
    std::string text = "'";
    for (const char c : argument) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

std::string command_text(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    words.reserve(arguments.size());
    for (const std::string& argument : arguments) words.push_back(quoted(argument));
    return join(words, " ");
}

std::string plan_text(const MeasureReport& report, const Style& style) {
    std::vector<Table::Column> columns{{"run", Align::right}, {"repetition", Align::right}};
    for (const std::string& name : report.parameters) columns.push_back({name, Align::right});
    columns.push_back({"command"});
    Table table(columns);
    for (const MeasuredRun& run : report.planned) {
        std::vector<std::string> cells{std::to_string(run.number),
                                       run.repetition == 0 ? "warm-up" : std::to_string(run.repetition)};
        for (const measure::Value& value : run.at) cells.push_back(value.text);
        cells.push_back(command_text(run.command));
        table.add(std::move(cells));
    }
    return table.text(style);
}

std::string failures_text(const MeasureReport& report, const Style& style) {
    if (report.failures.empty()) return {};
    std::string text = "\n" + style.bold("failed") + "\n";
    for (std::size_t i = 0; i < std::min(most_failures, report.failures.size()); ++i) {
        const MeasuredRun& run = report.failures[i];
        text += fmt::format("  run {} at {}: {}\n", run.number, measure::describe(report.parameters, run.at),
                            run.reason);
        for (const std::string& line : run.error_lines) text += fmt::format("    {}\n", line);
    }
    if (report.failures.size() > most_failures)
        text += fmt::format("  and {} more\n", report.failures.size() - most_failures);
    return text;
}

void write_run(JsonWriter& json, const MeasureReport& report, const MeasuredRun& run) {
    json.begin_object().member("run", run.number).key("at").begin_object();
    for (std::size_t k = 0; k < report.parameters.size(); ++k)
        json.member(report.parameters[k], run.at[k].number);
    json.end_object().member("repetition", run.repetition);
}

}  // namespace

std::string to_text(const MeasureReport& report, const Style& style) {
    if (report.dry_run) return plan_text(report, style);
    if (report.runs + report.continued_from == 0) return {};
    std::vector<Table::Column> columns;
    for (const std::string& name : report.parameters) columns.push_back({name, Align::right});
    columns.push_back({"runs", Align::right});
    const bool any_failed = !report.failures.empty();
    if (any_failed) columns.push_back({"failed", Align::right});
    std::vector<std::string> metrics;
    for (const MeasuredPoint& point : report.points) {
        for (const MeasuredMetric& metric : point.metrics) {
            if (std::find(metrics.begin(), metrics.end(), metric.metric) == metrics.end())
                metrics.push_back(metric.metric);
        }
    }
    for (const std::string& metric : metrics)
        columns.insert(columns.end(), {{metric, Align::right}, {"spread", Align::right}});
    Table table(columns);
    for (const MeasuredPoint& point : report.points) {
        std::vector<std::string> cells;
        for (const measure::Value& value : point.at) cells.push_back(value.text);
        cells.push_back(std::to_string(point.runs));
        if (any_failed) cells.push_back(std::to_string(point.failures));
        for (const std::string& name : metrics) {
            const auto found =
                std::find_if(point.metrics.begin(), point.metrics.end(),
                             [&](const MeasuredMetric& metric) { return metric.metric == name; });
            const bool is_there = found != point.metrics.end();
            cells.push_back(is_there ? with_unit(found->median, found->unit) : "-");
            cells.push_back(is_there ? percent(found->spread) : "-");
        }
        table.add(std::move(cells));
    }
    return table.text(style) + failures_text(report, style);
}

std::string next_step(const MeasureReport& report) {
    if (report.dry_run)
        return fmt::format("{} in all; nothing was run", counted(report.planned.size(), "run"));
    const std::size_t kept = report.runs - report.failures.size() + report.continued_from;
    const std::string held = fmt::format("{} holds {}", report.output, counted(kept, "run"));
    if (report.interrupted) return fmt::format("interrupted: {}; the same command goes on from there", held);
    if (!report.failures.empty())
        return fmt::format("{}, {} failed: the same command tries them again", held, report.failures.size());
    return fmt::format("{}; next: plimsoll fit {}", held, report.output);
}

std::string to_json(const MeasureReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.measure/1").member("output", report.output);
    json.key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().member("runs", report.runs).member("continued_from", report.continued_from);
    json.member("failed", report.failures.size()).member("interrupted", report.interrupted);
    json.key("points").begin_array();
    for (const MeasuredPoint& point : report.points) {
        json.begin_object().key("at").begin_object();
        for (std::size_t k = 0; k < report.parameters.size(); ++k)
            json.member(report.parameters[k], point.at[k].number);
        json.end_object()
            .member("runs", point.runs)
            .member("failed", point.failures)
            .key("metrics")
            .begin_array();
        for (const MeasuredMetric& metric : point.metrics) {
            json.begin_object()
                .member("metric", metric.metric)
                .member("unit", metric.unit)
                .member("runs", metric.runs);
            json.member("median", metric.median).member("spread", metric.spread);
            json.member("minimum", metric.minimum).member("maximum", metric.maximum).end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().key("failures").begin_array();
    for (const MeasuredRun& run : report.failures) {
        write_run(json, report, run);
        json.member("reason", run.reason).key("stderr").begin_array();
        for (const std::string& line : run.error_lines) json.value(line);
        json.end_array().end_object();
    }
    json.end_array();
    if (report.dry_run) {
        json.key("planned").begin_array();
        for (const MeasuredRun& run : report.planned) {
            write_run(json, report, run);
            json.key("command").begin_array();
            for (const std::string& word : run.command) json.value(word);
            json.end_array().end_object();
        }
        json.end_array();
    }
    json.key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
