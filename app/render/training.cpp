#include <fmt/format.h>

#include <algorithm>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using training::Time;
using training::TrainingTime;

std::string range_text(const Time& t) {
    return t.low == t.high ? "-" : fmt::format("{} to {}", duration_text(t.low), duration_text(t.high));
}

/// The parameters that differ between points; all where there is one point alone.
std::string point_text(const TrainingReport& report, const TrainingTime& point) {
    std::vector<std::string> pieces;
    for (std::size_t k = 0; k < report.parameters.size(); ++k) {
        const bool varies =
            std::any_of(report.points.begin(), report.points.end(),
                        [&](const TrainingTime& other) { return other.at[k] != point.at[k]; });
        if (varies || report.points.size() == 1)
            pieces.push_back(fmt::format("{}={}", report.parameters[k], shortest(point.at[k])));
    }
    return join(pieces, ", ");
}

void write_time(JsonWriter& json, const char* name, const std::optional<Time>& time) {
    json.key(name);
    if (!time) {
        json.null();
        return;
    }
    json.begin_object().member("value", time->value).member("low", time->low).member("high", time->high);
    json.end_object();
}

}  // namespace

std::string to_text(const TrainingReport& report, const Style& style) {
    const auto any = [&](auto has) { return std::any_of(report.points.begin(), report.points.end(), has); };
    const bool has_parts = any([](const TrainingTime& t) { return t.parts.has_value(); });
    const bool has_epoch = any([](const TrainingTime& t) { return t.epoch.has_value(); });
    const bool has_batch = any([](const TrainingTime& t) { return t.batch > 0.0; });
    std::vector<Table::Column> columns{{"at"},
                                       {"step", Align::right},
                                       {fmt::format("{:.4g} % interval", 100.0 * report.coverage)},
                                       {has_batch ? "samples/s" : "steps/s", Align::right},
                                       {"efficiency", Align::right}};
    if (has_parts) {
        columns.push_back({"computing", Align::right});
        columns.push_back({"communication alone", Align::right});
        columns.push_back({"rest", Align::right});
    }
    if (has_epoch) {
        columns.push_back({"steps", Align::right});
        columns.push_back({"epoch", Align::right});
        columns.push_back({"training", Align::right});
        columns.push_back({"interval"});
        columns.push_back({"process hours", Align::right});
    }
    Table table(columns);
    for (const TrainingTime& t : report.points) {
        std::vector<std::string> row{point_text(report, t), duration_text(t.step.value), range_text(t.step),
                                     short_number(t.throughput), percent(t.efficiency)};
        if (has_parts) {
            for (const auto part : {&training::StepParts::computation,
                                    &training::StepParts::exposed_communication, &training::StepParts::rest})
                row.push_back(t.parts ? percent(*t.parts.*part / t.step.value) : "-");
        }
        if (has_epoch) {
            row.push_back(shortest(t.steps.training + t.steps.validation));
            row.push_back(t.epoch ? duration_text(t.epoch->value) : "-");
            row.push_back(t.training ? duration_text(t.training->value) : "-");
            row.push_back(t.training ? range_text(*t.training) : "-");
            row.push_back(t.process_hours ? short_number(*t.process_hours) : "-");
        }
        table.add(row);
    }
    return table.text(style);
}

std::string to_lines(const TrainingReport& report) {
    std::string text;
    for (const TrainingTime& t : report.points) {
        text += fmt::format("{}\t{}\n", point_text(report, t),
                            shortest(t.training ? t.training->value : t.step.value));
    }
    return text;
}

std::string to_json(const TrainingReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.training/1").member("coverage", report.coverage);
    json.key("schedule").begin_object();
    json.member("dataset_size", report.schedule.dataset_size);
    json.member("validation_size", report.schedule.validation_size).member("epochs", report.schedule.epochs);
    json.member("batch", report.schedule.batch).member("model_parallel", report.schedule.model_parallel);
    json.member("last_step", enum_name(report.schedule.last_step));
    json.member("validation", enum_name(report.schedule.validation)).end_object();
    json.key("points").begin_array();
    for (const TrainingTime& t : report.points) {
        json.begin_object();
        json.numbers("at", report.parameters, t.at);
        json.member("processes", t.processes).member("batch", t.batch);
        write_time(json, "step_s", t.step);
        write_time(json, "validation_step_s", t.validation_step);
        json.key("parts_s");
        if (t.parts) {
            json.begin_object().member("computation", t.parts->computation);
            json.member("exposed_communication", t.parts->exposed_communication);
            json.member("rest", t.parts->rest).end_object();
        } else {
            json.null();
        }
        json.member("throughput_per_s", t.throughput).member("efficiency", t.efficiency);
        json.member("training_steps", t.steps.training).member("validation_steps", t.steps.validation);
        write_time(json, "epoch_s", t.epoch);
        write_time(json, "training_s", t.training);
        json.key("process_hours");
        if (t.process_hours) {
            json.value(*t.process_hours);
        } else {
            json.null();
        }
        json.end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
