#include <fmt/format.h>

#include "app/render/documents.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

std::string to_text(const ReportReport& report) {
    return fmt::format("wrote {}: {}, {}; open it in a browser", report.output,
                       counted(report.models, "model"), byte_size_text(static_cast<double>(report.bytes)));
}

std::string to_json(const ReportReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.report/1").member("output", report.output);
    json.member("bytes", report.bytes).key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().member("regions", report.regions).member("models", report.models);
    json.member("measurements", report.measurements).key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

std::string to_json(const ServedReport& served) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.report-serve/1").member("address", served.address);
    return json.member("port", served.port).end_object().take();
}

}  // namespace plimsoll::app
