#include <fmt/format.h>

#include <algorithm>

#include "app/render/documents.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

std::string to_text(const ReportReport& report) {
    std::vector<std::string> pieces;
    if (report.regions > 0 || report.documents.empty()) pieces.push_back(counted(report.models, "model"));
    for (const auto& [kind, name] : enum_names(DocumentKind{})) {
        const auto number = std::count(report.documents.begin(), report.documents.end(), kind);
        if (number > 0) pieces.push_back(counted(static_cast<std::size_t>(number), name));
    }
    pieces.push_back(byte_size_text(static_cast<double>(report.bytes)));
    return fmt::format("wrote {}: {}; open it in a browser", report.output, join(pieces, ", "));
}

std::string to_json(const ReportReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.report/1").member("output", report.output);
    json.member("bytes", report.bytes).key("parameters").begin_array();
    for (const std::string& name : report.parameters) json.value(name);
    json.end_array().member("regions", report.regions).member("models", report.models);
    json.member("measurements", report.measurements).key("documents").begin_array();
    for (const DocumentKind kind : report.documents) json.value(enum_name(kind));
    json.end_array().key("notes").begin_array();
    for (const std::string& note : report.notes) json.value(note);
    return json.end_array().end_object().take();
}

std::string to_json(const ServedReport& served) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.report-serve/1").member("address", served.address);
    return json.member("port", served.port).member("renewed", served.is_renewed).end_object().take();
}

}  // namespace plimsoll::app
