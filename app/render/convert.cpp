#include <fmt/format.h>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

std::string understood_text(const ConvertReport& report) {
    std::vector<std::string> files;
    for (const auto& [format, count] : report.inputs)
        files.push_back(fmt::format("{} ({})", counted(count, "input"), format));
    std::string text = "read " + join(files, ", ");
    for (const ConvertedParameter& p : report.parameters) {
        text += fmt::format("\nparameter {}: {}, {}", p.name, counted(p.values, "value"),
                            short_number(p.smallest));
        if (p.largest > p.smallest) text += fmt::format(" to {}", short_number(p.largest));
        if (!p.origin.empty()) text += fmt::format("; {}", p.origin);
    }
    return text;
}

std::string to_text(const ConvertReport& report) {
    const bool is_file = report.output != "-";
    return fmt::format("wrote {}{}: {} at {}, {}, {}{}", is_file ? report.output + " as " : "", report.format,
                       counted(report.measurements, "measurement"), counted(report.points, "point"),
                       counted(report.regions, "region"), counted(report.metrics, "metric"),
                       is_file ? fmt::format("; next: plimsoll fit {}", report.output) : std::string());
}

std::string to_json(const ConvertReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.convert/1").member("output", report.output);
    json.member("format", report.format).key("inputs").begin_object();
    for (const auto& [format, count] : report.inputs) json.member(format, count);
    json.end_object().key("parameters").begin_array();
    for (const ConvertedParameter& p : report.parameters) {
        json.begin_object().member("name", p.name).member("values", p.values);
        json.member("smallest", p.smallest).member("largest", p.largest).key("origin");
        if (p.origin.empty()) {
            json.null();
        } else {
            json.value(p.origin);
        }
        json.end_object();
    }
    json.end_array();
    json.member("regions", report.regions).member("metrics", report.metrics);
    json.member("points", report.points)
        .member("measurements", report.measurements)
        .key("notes")
        .begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

std::string to_json(const Error& error) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.error/1").member("kind", name(error.kind()));
    json.member("message", error.what()).member("hint", error.hint());
    if (error.place().file.empty()) {
        json.key("file").null();
    } else {
        json.member("file", error.place().file);
    }
    if (error.place().line == 0) {
        json.key("line").null();
    } else {
        json.member("line", static_cast<std::size_t>(error.place().line));
    }
    return json.end_object().take();
}

}  // namespace plimsoll::app
