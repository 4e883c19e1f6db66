#include "plimsoll/experiment/detail/cube_anchor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <unordered_set>
#include <utility>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/cube_unit.hpp"
#include "plimsoll/experiment/detail/inflate.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::size_t longest_text = std::size_t{1} << 30U;
// Call paths repeat the names of their callers, so that they take more room than the file does, but within
// bounds.
constexpr std::size_t paths_always = std::size_t{1} << 26U;
constexpr std::size_t paths_per_stored_byte = 1024;
constexpr std::size_t paths_per_byte_of_text = 128;

[[noreturn]] void fail(const std::string& file, const std::string& what) {
    throw Error(ErrorKind::input, Place{.file = file}, "anchor.xml " + what,
                "check that the file was copied whole and is a profile of Cube 4");
}

/// Calls `visit` for all elements of a name below `top`, in the order of the text. Deep nesting costs no
/// stack.
template <class Visit>
void for_each_below(const pugi::xml_node& top, std::string_view name, Visit visit) {
    pugi::xml_node node = top.first_child();
    while (node) {
        if (node.name() == name) visit(node);
        if (node.first_child()) {
            node = node.first_child();
            continue;
        }
        while (node != top && !node.next_sibling()) node = node.parent();
        if (node == top) return;
        node = node.next_sibling();
    }
}

CubeStorage storage_of(std::string_view name) {
    if (name == "EXCLUSIVE") return CubeStorage::exclusive;
    return name == "INCLUSIVE" ? CubeStorage::inclusive : CubeStorage::other;
}

std::vector<CubeMetric> read_metrics(const pugi::xml_node& cube, const std::string& file) {
    std::vector<CubeMetric> metrics;
    std::unordered_set<std::string> names;
    for_each_below(cube.child("metrics"), "metric", [&](const pugi::xml_node& node) {
        CubeMetric metric{.id = node.attribute("id").value(),
                          .name = node.child_value("uniq_name"),
                          .unit = std::string(unit_from_cube(trim(node.child_value("uom")))),
                          .value_type = std::string(trim(node.child_value("dtype"))),
                          .storage_name = node.attribute("type").value()};
        metric.storage = storage_of(metric.storage_name);
        if (metric.name.empty()) metric.name = node.child_value("disp_name");
        if (metric.id.empty() || metric.name.empty()) fail(file, "has a metric without an id or a name");
        if (!names.insert(metric.name).second)
            fail(file, fmt::format("has two metrics named '{}'", metric.name));
        metrics.push_back(std::move(metric));
    });
    return metrics;
}

CubeCallTree read_call_tree(const pugi::xml_node& cube, const std::string& file, std::size_t path_limit) {
    const pugi::xml_node program = cube.child("program");
    std::unordered_map<std::string_view, std::string_view> region_names;
    for (const pugi::xml_node& region : program.children("region")) {
        region_names.emplace(region.attribute("id").value(), region.child_value("name"));
    }
    CubeTreeBuilder builder(Place{.file = file}, path_limit);
    std::vector<std::pair<pugi::xml_node, std::uint32_t>> callers;  // of the node in hand
    for_each_below(program, "cnode", [&](const pugi::xml_node& node) {
        while (!callers.empty() && callers.back().first != node.parent()) callers.pop_back();
        const auto region = region_names.find(node.attribute("calleeId").value());
        if (region == region_names.end()) {
            fail(file, fmt::format("calls the region '{}', which it does not define",
                                   node.attribute("calleeId").value()));
        }
        const auto caller = callers.empty() ? std::nullopt : std::optional(callers.back().second);
        callers.emplace_back(node, builder.add(caller, region->second));
    });
    return builder.finish();
}

std::size_t count_below(const pugi::xml_node& top, std::string_view name) {
    std::size_t count = 0;
    for_each_below(top, name, [&](const pugi::xml_node&) { ++count; });
    return count;
}

}  // namespace

CubeAnchor read_cube_anchor(std::string anchor, const std::string& file) {
    const std::size_t stored_size = anchor.size();
    if (is_gzip(anchor)) {
        auto text = gunzip(anchor, longest_text);
        if (!text) fail(file, "is damaged: its compressed text cannot be read");
        anchor = std::move(*text);
    }
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(anchor.data(), anchor.size());
    if (!result) {
        const auto end = anchor.begin() + std::clamp<std::ptrdiff_t>(result.offset, 0, std::ssize(anchor));
        fail(file, fmt::format("is not well-formed at its line {}: {}",
                               1 + std::count(anchor.begin(), end, '\n'), result.description()));
    }
    const pugi::xml_node cube = document.child("cube");
    if (!cube)
        fail(file, fmt::format("describes '{}' instead of a cube", document.document_element().name()));

    const std::size_t path_limit =
        paths_always + std::min(paths_per_stored_byte * stored_size, paths_per_byte_of_text * anchor.size());
    CubeAnchor read{.metrics = read_metrics(cube, file), .tree = read_call_tree(cube, file, path_limit)};
    read.location_count = count_below(cube.child("system"), "location");
    if (read.location_count == 0)
        read.location_count = count_below(cube.child("system"), "thread");  // before Cube 4.3
    if (read.tree.size() == 0) fail(file, "has no call tree");
    if (read.location_count == 0) fail(file, "names no process or thread");
    return read;
}

}  // namespace plimsoll::experiment::detail
