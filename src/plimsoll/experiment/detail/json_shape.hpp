#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// The shape of Extra-P's JSON documents, new and old form, as one table: what may stand where.
namespace plimsoll::experiment::detail {

enum class JsonKind { null, boolean, number, text, list, object };

/// Places in a document. Those of the new form: `regions` by name, `region` with metrics by name, `entries`.
/// Those of the old form: definitions with ids, and `rows` that refer to them.
enum class JsonNode {
    outside,
    document,
    parameters,
    parameter_name,
    parameter,
    callpaths,
    callpath,
    metrics,
    metric,
    id,
    name,
    coordinates,
    coordinate,
    pairs,
    pair,
    parameter_id,
    parameter_value,
    regions,
    region,
    entries,
    entry,
    point,
    point_value,
    values,
    single_value,
    locations,
    location,
    rows,
    row,
    row_id,
    row_coordinate,
    row_callpath,
    row_metric,
    row_value,
};

/// One thing that may stand in a place. The key is empty for elements of a list, and `*` for names of any
/// kind.
struct JsonEdge {
    JsonNode from;
    std::string_view key;
    JsonKind kind;
    JsonNode to;
};

/// All that may stand in a place.
[[nodiscard]] std::span<const JsonEdge> edges_from(JsonNode node);

/// Keys that an object of this place must have.
[[nodiscard]] std::span<const std::string_view> required_keys(JsonNode node);

/// "an entry", "a coordinate": what a place holds, for messages.
[[nodiscard]] std::string_view what_is(JsonNode node);

/// "a number", "a list".
[[nodiscard]] std::string_view what_is(JsonKind kind);

}  // namespace plimsoll::experiment::detail
