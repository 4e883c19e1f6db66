#include "plimsoll/experiment/detail/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/excerpt.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view known_shapes =
    "give an object with 'parameters' and 'measurements', the old form with 'callpaths' beside them, or JSON "
    "lines "
    "with 'params' and 'value'";

}  // namespace

JsonDocumentHandler::JsonDocumentHandler(ExperimentBuilder& builder, const std::string& file,
                                         JsonSource& source)
    : builder_(&builder), source_(&source), file_(file), new_form_(builder, file), old_form_(builder, file) {
    frames_.push_back({.node = JsonNode::outside,
                       .kind = JsonKind::list,
                       .edges = edges_from(JsonNode::outside),
                       .line = 1,
                       .unknown = {}});
}

/// The bit of a key that may stand in the object, 0 for another key.
unsigned JsonDocumentHandler::Frame::bit_of(std::string_view key) const {
    const auto edge = std::ranges::find(edges, key, &JsonEdge::key);
    return edge == edges.end() ? 0U : 1U << static_cast<unsigned>(edge - edges.begin());
}

bool JsonDocumentHandler::key(std::string& name) {
    if (ignored_depth_ > 0) return true;
    Frame& frame = frames_.back();
    key_ = name;
    const bool is_free = !frame.edges.empty() && frame.edges.front().key == "*";
    if (is_free) return true;
    const unsigned bit = frame.bit_of(name);
    if (bit == 0) {
        ignores_next_ = true;
        frame.unknown = name;
        ignored_.note(*builder_, Place{.file = file_, .line = source_->line()}, "the key", name);
    } else if ((frame.seen & bit) != 0) {
        fail(source_->line(), fmt::format("{} has '{}' twice", what_is(frame.node), name),
             "keep one of the two");
    }
    frame.seen |= bit;
    return true;
}

const JsonEdge* JsonDocumentHandler::find_edge(JsonKind kind) const {
    const Frame& frame = frames_.back();
    for (const JsonEdge& edge : frame.edges) {
        const bool fits = frame.kind == JsonKind::list || edge.key == "*" || edge.key == key_;
        if (fits && edge.kind == kind) return &edge;
    }
    return nullptr;
}

bool JsonDocumentHandler::open(JsonKind kind) {
    if (ignored_depth_ > 0 || ignores_next_) {
        ignores_next_ = false;
        ++ignored_depth_;
        return true;
    }
    const JsonEdge* const edge = find_edge(kind);
    if (edge == nullptr) fail_kind(kind);
    begin(edge->to);
    frames_.push_back({.node = edge->to,
                       .kind = kind,
                       .edges = edges_from(edge->to),
                       .line = source_->line(),
                       .unknown = {}});
    return true;
}

bool JsonDocumentHandler::close() {
    if (ignored_depth_ > 0) {
        --ignored_depth_;
        return true;
    }
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    check_complete(frame);
    end(frame);
    return true;
}

bool JsonDocumentHandler::scalar(JsonKind kind, double number, std::string_view text) {
    if (ignored_depth_ > 0) return true;
    if (ignores_next_) {
        ignores_next_ = false;
        return true;
    }
    const JsonEdge* edge = find_edge(kind);
    if (edge == nullptr && kind == JsonKind::text && (edge = find_edge(JsonKind::number)) != nullptr) {
        const auto parsed = parse_number(trim(text));
        if (!parsed) {
            fail(source_->line(), fmt::format("'{}' is not a number", excerpt(text)),
                 "write numbers as 12, 1.5 or 1e6");
        }
        if (std::isfinite(*parsed) && !text_numbers_noted_) {
            builder_->note(Place{.file = file_, .line = source_->line()}, std::string(text_number_note));
            text_numbers_noted_ = true;
        }
        kind = JsonKind::number;
        number = *parsed;
    }
    if (edge == nullptr) fail_kind(kind);
    take(edge->to, kind, number, text);
    return true;
}

void JsonDocumentHandler::begin(JsonNode node) {
    switch (node) {
        case JsonNode::parameter:
            has_definitions_ = true;
            definition_ = {};
            break;
        case JsonNode::callpath:
        case JsonNode::metric: definition_ = {}; break;
        case JsonNode::coordinate:
            definition_ = {};
            pairs_.clear();
            break;
        case JsonNode::region: region_ = key_; break;
        case JsonNode::entries:
            entry_.series = builder_->series(builder_->region(region_), builder_->metric(key_));
            break;
        case JsonNode::entry:
            entry_.point.clear();
            entry_.values.clear();
            entry_.has_null = false;
            break;
        case JsonNode::locations: entry_.values.begin_repetition(); break;
        case JsonNode::rows: has_rows_ = true; break;
        case JsonNode::row:
            row_ = {};
            row_is_null_ = false;
            break;
        default: break;
    }
}

void JsonDocumentHandler::take(JsonNode node, JsonKind kind, double number, std::string_view text) {
    const bool is_null = kind == JsonKind::null;
    switch (node) {
        case JsonNode::parameter_name: names_.emplace_back(text); break;
        case JsonNode::id: definition_.id = whole_id(number); break;
        case JsonNode::name: definition_.name = text; break;
        case JsonNode::parameter_id: pair_.parameter = whole_id(number); break;
        case JsonNode::parameter_value: pair_.value = number; break;
        case JsonNode::point_value: entry_.point.push_back(number); break;
        case JsonNode::single_value:
            entry_.has_null |= is_null;
            if (!is_null) entry_.values.add(number);
            break;
        case JsonNode::location:
            entry_.has_null |= is_null;
            if (!is_null) entry_.values.add_location(number);
            break;
        case JsonNode::row_coordinate: row_.coordinate = whole_id(number); break;
        case JsonNode::row_callpath: row_.callpath = whole_id(number); break;
        case JsonNode::row_metric: row_.metric = whole_id(number); break;
        case JsonNode::row_value:
            row_is_null_ = is_null;
            row_.value = number;
            break;
        default: break;
    }
}

void JsonDocumentHandler::end(const Frame& frame) {
    definition_.line = frame.line;
    switch (frame.node) {
        case JsonNode::parameters: end_parameters(frame.line); break;
        case JsonNode::parameter: old_form_.define_parameter(std::move(definition_)); break;
        case JsonNode::callpaths: old_form_.end_list(OldForm::callpaths); break;
        case JsonNode::callpath: old_form_.define_callpath(std::move(definition_)); break;
        case JsonNode::metrics: old_form_.end_list(OldForm::metrics); break;
        case JsonNode::metric: old_form_.define_metric(std::move(definition_)); break;
        case JsonNode::coordinates: old_form_.end_list(OldForm::coordinates); break;
        case JsonNode::coordinate: old_form_.define_coordinate(definition_.id, pairs_, frame.line); break;
        case JsonNode::pair: pairs_.push_back(pair_); break;
        case JsonNode::entry:
            entry_.line = frame.line;
            new_form_.add(entry_);
            break;
        case JsonNode::row:
            row_.line = frame.line;
            if (row_is_null_) {
                builder_->note(Place{.file = file_, .line = frame.line}, "a value is null and is left out");
            } else {
                old_form_.add(row_);
            }
            break;
        case JsonNode::document: finish(frame); break;
        default: break;
    }
}

void JsonDocumentHandler::end_parameters(std::uint64_t line) {
    if (has_definitions_ && !names_.empty()) {
        fail(line, "the list of parameters mixes names and definitions",
             "write names, or objects with 'id' and 'name'");
    }
    if (!names_.empty()) new_form_.set_parameters(names_, line);
    old_form_.end_list(OldForm::parameters);
}

void JsonDocumentHandler::finish(const Frame& document) {
    is_finished_ = true;
    const std::uint64_t line = source_->line();
    const auto has = [&](std::string_view key) { return (document.seen & document.bit_of(key)) != 0; };
    if (document.seen == 0) fail(line, "the document is of no known shape", std::string(known_shapes));
    if (!has("measurements")) fail(line, "the document has no 'measurements'", "add 'measurements' to it");
    if (has_rows_) {
        old_form_.finish(line);
    } else if (has("callpaths")) {
        fail(line, "'measurements' beside 'callpaths' is an object, not a list",
             "drop 'callpaths' for the new form");
    } else if (!new_form_.has_parameters()) {
        fail(line, "the document names no parameters", R"(add a list such as "parameters": ["p", "n"])");
    }
}

double JsonDocumentHandler::whole_id(double number) const {
    constexpr double largest = 9007199254740992.0;  // up to here a double holds each whole number
    if (!(std::abs(number) <= largest) || number != std::floor(number)) {
        fail(source_->line(), fmt::format("'{}' is {}, not a whole number", key_, shortest(number)),
             "number the definitions 1, 2, 3 and so on");
    }
    return number;
}

void JsonDocumentHandler::check_complete(const Frame& frame) const {
    for (const std::string_view required : required_keys(frame.node)) {
        if ((frame.seen & frame.bit_of(required)) != 0) continue;
        const std::vector<std::string> candidate{std::string(required)};
        fail(frame.line, fmt::format("{} has no '{}'", what_is(frame.node), required),
             !frame.unknown.empty() && nearest(frame.unknown, candidate)
                 ? fmt::format("did you mean '{}' where it says '{}'?", required, excerpt(frame.unknown))
                 : fmt::format("add '{}' to it", required));
    }
}

bool JsonDocumentHandler::parse_error(std::size_t /*position*/, const std::string& token,
                                      const nlohmann::json::exception& error) {
    constexpr int too_large = 406;
    const std::uint64_t line = source_->line();
    if (is_finished_) {
        fail(line, "the file goes on after the end of the document",
             trim(token).ends_with(',') ? "drop the comma" : "give one document a file");
    }
    if (error.id == too_large) {
        fail(line, fmt::format("the number {} is too large", excerpt(token)), "give a finite number");
    }
    const std::string_view reason = error.what();
    const auto says = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
    if (says("ill-formed UTF-8")) fail(line, "the document is not UTF-8", "write names in UTF-8");
    if (says("unexpected end of input") || (source_->at_end() && says("invalid"))) {
        fail(line, "the document ends in the middle", "check that the file was written to its end");
    }
    // The parser's token may reach back over several brackets; the end of it is the place.
    std::string_view tail = token;
    tail.remove_prefix(tail.size() - std::min<std::size_t>(tail.size(), 30));
    tail = trim(tail);
    tail.remove_prefix(tail.rfind('\n') + 1);
    std::string hint = "mend the file there";
    if (says("array - unexpected number") || says("object - unexpected number"))
        hint = "write numbers without a 0 before them, and commas between them";
    if (tail.ends_with(']') || tail.ends_with('}')) {
        if (says("value - unexpected") || says("object key - unexpected"))
            hint = "drop the comma before the bracket, or write the value that is missing";
    }
    fail(line, fmt::format("is not valid JSON at '{}'", excerpt(tail)), std::move(hint));
}

void JsonDocumentHandler::fail(std::uint64_t line, std::string message, std::string hint) const {
    throw Error(ErrorKind::input, Place{.file = file_, .line = line}, std::move(message), std::move(hint));
}

void JsonDocumentHandler::fail_kind(JsonKind kind) const {
    const Frame& frame = frames_.back();
    std::string expected;
    for (const JsonEdge& edge : frame.edges) {
        const bool fits = frame.kind == JsonKind::list || edge.key == "*" || edge.key == key_;
        if (fits) expected += fmt::format("{}{}", expected.empty() ? "" : " or ", what_is(edge.kind));
    }
    if (frame.node == JsonNode::outside) {
        fail(source_->line(), fmt::format("the document is {}, not {}", what_is(kind), expected),
             std::string(known_shapes));
    }
    const std::string what =
        frame.kind == JsonKind::list
            ? fmt::format("{} holds {}", what_is(frame.node), what_is(kind))
            : fmt::format("'{}' of {} is {}", excerpt(key_), what_is(frame.node), what_is(kind));
    fail(source_->line(), what, fmt::format("write {} there", expected));
}

}  // namespace plimsoll::experiment::detail
