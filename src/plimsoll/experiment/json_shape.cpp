#include "plimsoll/experiment/detail/json_shape.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::experiment::detail {

namespace {

using enum JsonNode;
using Kind = JsonKind;

// In the order of JsonNode.
constexpr std::array edges{
    JsonEdge{outside, "", Kind::object, document},
    JsonEdge{document, "parameters", Kind::list, parameters},
    JsonEdge{document, "measurements", Kind::object, regions},
    JsonEdge{document, "measurements", Kind::list, rows},
    JsonEdge{document, "callpaths", Kind::list, callpaths},
    JsonEdge{document, "metrics", Kind::list, metrics},
    JsonEdge{document, "coordinates", Kind::list, coordinates},
    JsonEdge{parameters, "", Kind::text, parameter_name},
    JsonEdge{parameters, "", Kind::object, parameter},
    JsonEdge{parameter, "id", Kind::number, id},
    JsonEdge{parameter, "name", Kind::text, name},
    JsonEdge{callpaths, "", Kind::object, callpath},
    JsonEdge{callpath, "id", Kind::number, id},
    JsonEdge{callpath, "name", Kind::text, name},
    JsonEdge{metrics, "", Kind::object, metric},
    JsonEdge{metric, "id", Kind::number, id},
    JsonEdge{metric, "name", Kind::text, name},
    JsonEdge{coordinates, "", Kind::object, coordinate},
    JsonEdge{coordinate, "id", Kind::number, id},
    JsonEdge{coordinate, "parameter_value_pairs", Kind::list, pairs},
    JsonEdge{pairs, "", Kind::object, pair},
    JsonEdge{pair, "parameter_id", Kind::number, parameter_id},
    JsonEdge{pair, "parameter_value", Kind::number, parameter_value},
    JsonEdge{regions, "*", Kind::object, region},
    JsonEdge{region, "*", Kind::list, entries},
    JsonEdge{entries, "", Kind::object, entry},
    JsonEdge{entry, "point", Kind::list, point},
    JsonEdge{entry, "point", Kind::number, point_value},
    JsonEdge{entry, "values", Kind::list, values},
    JsonEdge{entry, "values", Kind::number, single_value},
    JsonEdge{entry, "values", Kind::null, single_value},
    JsonEdge{point, "", Kind::number, point_value},
    JsonEdge{values, "", Kind::number, single_value},
    JsonEdge{values, "", Kind::null, single_value},
    JsonEdge{values, "", Kind::list, locations},
    JsonEdge{locations, "", Kind::number, location},
    JsonEdge{locations, "", Kind::null, location},
    JsonEdge{rows, "", Kind::object, row},
    JsonEdge{row, "id", Kind::number, row_id},
    JsonEdge{row, "id", Kind::text, row_id},
    JsonEdge{row, "coordinate_id", Kind::number, row_coordinate},
    JsonEdge{row, "callpath_id", Kind::number, row_callpath},
    JsonEdge{row, "metric_id", Kind::number, row_metric},
    JsonEdge{row, "value", Kind::number, row_value},
    JsonEdge{row, "value", Kind::null, row_value},
};

constexpr std::array<std::string_view, 2> definition_keys{"id", "name"};
constexpr std::array<std::string_view, 2> coordinate_keys{"id", "parameter_value_pairs"};
constexpr std::array<std::string_view, 2> pair_keys{"parameter_id", "parameter_value"};
constexpr std::array<std::string_view, 2> entry_keys{"point", "values"};
constexpr std::array<std::string_view, 4> row_keys{"coordinate_id", "callpath_id", "metric_id", "value"};

}  // namespace

std::span<const JsonEdge> edges_from(JsonNode node) {
    const auto* const begin = std::ranges::lower_bound(edges, node, {}, &JsonEdge::from);
    const auto* const end = std::ranges::upper_bound(edges, node, {}, &JsonEdge::from);
    return {begin, end};
}

std::span<const std::string_view> required_keys(JsonNode node) {
    switch (node) {
        case parameter:
        case callpath:
        case metric: return definition_keys;
        case coordinate: return coordinate_keys;
        case pair: return pair_keys;
        case entry: return entry_keys;
        case row: return row_keys;
        default: return {};
    }
}

std::string_view what_is(JsonNode node) {
    switch (node) {
        case document: return "the document";
        case parameters: return "the list of parameters";
        case parameter: return "a parameter";
        case callpaths: return "the list of callpaths";
        case callpath: return "a callpath";
        case metrics: return "the list of metrics";
        case metric: return "a metric";
        case coordinates: return "the list of coordinates";
        case coordinate: return "a coordinate";
        case pairs: return "the list 'parameter_value_pairs'";
        case pair: return "a pair of parameter and value";
        case regions: return "'measurements'";
        case region: return "a callpath of 'measurements'";
        case entries: return "the list of a metric";
        case rows: return "the list 'measurements'";
        case entry:
        case row: return "a measurement";
        case point: return "'point'";
        case values:
        case locations: return "'values'";
        default: return "the file";
    }
}

std::string_view what_is(JsonKind kind) {
    switch (kind) {
        case Kind::null: return "null";
        case Kind::boolean: return "true or false";
        case Kind::number: return "a number";
        case Kind::text: return "a string";
        case Kind::list: return "a list";
        case Kind::object: break;
    }
    return "an object";
}

}  // namespace plimsoll::experiment::detail
