#include "plimsoll/experiment/detail/json_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"

namespace plimsoll::experiment::detail {

namespace {

/// Position of the quote that ends the string whose text begins at `begin`; the end of the line if none does.
std::size_t end_of_string(std::string_view line, std::size_t begin) {
    for (std::size_t i = begin; i < line.size(); ++i) {
        if (line[i] == '\\') {
            ++i;
        } else if (line[i] == '"') {
            return i;
        }
    }
    return line.size();
}

}  // namespace

bool JsonSketch::has_key(std::string_view key) const {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

JsonSketch sketch_json(std::string_view text) {
    JsonSketch sketch;
    text = trim(text);
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    if (line.empty()) return sketch;
    sketch.opening = line.front();
    if (sketch.opening != '{' && sketch.opening != '[') return sketch;

    std::size_t depth = 0;
    bool awaits_key = false;
    std::string_view key;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"') {
            const std::size_t end = end_of_string(line, i + 1);
            const std::string_view content = line.substr(i + 1, std::min(end, line.size()) - (i + 1));
            if (depth == 1 && awaits_key && end < line.size()) {
                sketch.keys.push_back(content);
                key = content;
                awaits_key = false;
            } else if (depth == 1 && key == "schema") {
                sketch.schema = content;
            }
            i = end;
        } else if (c == '{' || c == '[') {
            ++depth;
            awaits_key = depth == 1 && c == '{';
        } else if (c == '}' || c == ']') {
            if (depth > 0) --depth;
        } else if (c == ',' || c == ';') {
            sketch.has_semicolons |= c == ';';
            awaits_key = depth == 1 && sketch.opening == '{';
        }
    }
    sketch.goes_on = depth > 0 && newline != std::string_view::npos;
    return sketch;
}

void expect_opening(Input& input, std::string_view openings, std::string_view format) {
    constexpr std::size_t probe_size = 4096;
    const std::string_view head = input.peek(probe_size);
    const std::string_view content = trim(head);
    if (content.empty() || openings.find(content.front()) != std::string_view::npos) return;
    const auto line = 1 + std::count(head.data(), content.data(), '\n');
    throw Error(ErrorKind::input, Place{.file = input.name(), .line = static_cast<std::uint64_t>(line)},
                fmt::format("'{}' is not the beginning of {}", excerpt(content.substr(0, content.find('\n'))),
                            format),
                "leave out --format, so that the format is detected");
}

void expect_commas(std::string_view text, const Place& place) {
    if (!sketch_json(text).has_semicolons) return;
    throw Error(ErrorKind::input, place, "semicolons stand where JSON has commas",
                "read Talpas lines with --format talpas");
}

}  // namespace plimsoll::experiment::detail
