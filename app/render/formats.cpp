#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/json_writer.hpp"

namespace plimsoll::app {

std::string to_text(const FormatsReport& report, const Style& style) {
    Table table({{"format"}, {"what"}, {"for example"}});
    for (const ListedFormat& format : report.formats)
        table.add({format.name, format.description, format.example});
    return table.text(style);
}

std::string to_lines(const FormatsReport& report) {
    std::string text;
    for (const ListedFormat& format : report.formats) text += format.name + "\n";
    return text;
}

std::string to_json(const FormatsReport& report) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.formats/1").key("formats").begin_array();
    for (const ListedFormat& format : report.formats) {
        json.begin_object().member("name", format.name).member("description", format.description);
        json.member("example", format.example).end_object();
    }
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
