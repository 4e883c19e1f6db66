#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"
#include "plimsoll/profile/detail/limits.hpp"

namespace plimsoll::profile::detail {

namespace {

using nlohmann::json;

/// A node that holds what is outside of all regions, and measures nothing.
constexpr std::string_view no_region = "unknown-hash=";

/// What one unit of a file is in ours.
struct Unit {
    std::string_view name;
    std::string_view unit;
    double factor;
};

// Names from timemory's units.hpp; its kilobyte is 1000 bytes.
constexpr std::array units{
    Unit{"sec", "s", 1.0},       Unit{"dsec", "s", 1e-1},        Unit{"csec", "s", 1e-2},
    Unit{"msec", "s", 1e-3},     Unit{"usec", "s", 1e-6},        Unit{"nsec", "s", 1e-9},
    Unit{"psec", "s", 1e-12},    Unit{"min", "s", 60.0},         Unit{"hr", "s", 3600.0},
    Unit{"B", "B", 1.0},         Unit{"KB", "B", 1e3},           Unit{"MB", "B", 1e6},
    Unit{"GB", "B", 1e9},        Unit{"TB", "B", 1e12},          Unit{"KiB", "B", 1024.0},
    Unit{"MiB", "B", 1048576.0}, Unit{"GiB", "B", 1073741824.0},
};

/// What a component measures.
struct Component {
    std::string name;  ///< wall clock is "time"
    std::string unit;
    double factor = 1.0;
    bool adds_up = true;  ///< over the regions within a region, so that a value of its own makes sense
};

Component component_of(const std::string& key, const json& object) {
    Component component;
    const auto properties = object.find("properties");
    component.name = properties == object.end() ? std::string() : text_at(*properties, "id");
    if (component.name.empty()) component.name = lower_case(key);
    const std::string unit = text_at(object, "unit_repr");
    component.unit = unit;
    for (const Unit& known : units) {
        if (unit != known.name) continue;
        component.unit = known.unit;
        component.factor = known.factor;
    }
    const auto names = [&component](std::string_view word) {
        return component.name.find(word) != std::string::npos;
    };
    component.adds_up = unit != "%" && !names("util") && !names("rss") && !names("virtual_memory");
    if (component.name == "wall_clock" || component.name == "real_clock") component.name = "time";
    return component;
}

/// "|0>>>   |_solve" of rank 0 is "solve".
std::string_view name_of(std::string_view prefix) {
    if (const std::size_t mark = prefix.find(">>>");
        prefix.starts_with('|') && mark != std::string_view::npos)
        prefix = trim(prefix.substr(mark + 3));
    if (prefix.starts_with("|_")) prefix.remove_prefix(2);
    return prefix;
}

class Reader {
  public:
    Reader(Input& input, Sink& sink)
        : sink_(&sink), place_{.file = input.name()}, document_(read_json(input)) {}

    void read() {
        const auto components = document_.is_object() ? document_.find("timemory") : document_.end();
        if (components == document_.end() || !components->is_object())
            fail("holds no 'timemory' with components");
        part_.place = place_;
        // The calls are those of the wall clock, where there is one.
        std::vector<std::pair<std::string, const json*>> found;
        for (const auto& [key, object] : components->items()) {
            if (!object.is_object() || !object.contains("unit_repr")) continue;
            const bool is_time = component_of(key, object).name == "time";
            found.insert(is_time ? found.begin() : found.end(), {key, &object});
        }
        std::size_t ranks = 0;
        for (const auto& [key, object] : found) ranks = std::max(ranks, read_component(key, *object));
        if (part_.values().empty()) return;
        if (is_there_twice()) {
            sink_->is_left_out = true;
            return;
        }
        part_.processes = static_cast<std::int64_t>(ranks);
        sink_->parts.push_back(std::move(part_));
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, place_, what, "write the file again with TIMEMORY_JSON_OUTPUT=ON");
    }

    /// Fails in the component in hand. `where` is "below" or "behind" a path, of which the end is told.
    [[noreturn]] void fail_at(std::size_t rank, const char* where, std::string_view path,
                              const std::string& what) const {
        constexpr std::size_t longest = 100;
        std::string place = fmt::format("component '{}', rank {}", key_, rank);
        if (!path.empty()) {
            const bool is_cut = path.size() > longest;
            place += fmt::format(", {} '{}{}'", where, is_cut ? "..." : "",
                                 path.substr(is_cut ? path.size() - longest : 0));
        }
        fail(fmt::format("{}: {}", place, what));
    }

    /// A row of the tree: values of a region, in the unit of the file.
    struct Row {
        std::string path;
        double inclusive = 0.0;
        double exclusive = 0.0;
        double laps = 0.0;
        bool is_measured = false;
    };

    /// Returns the number of ranks.
    std::size_t read_component(const std::string& key, const json& object) {
        key_ = key;
        component_ = component_of(key, object);
        counts_visits_ = part_.values().empty();  // all components count the same ones
        for (const char* const list : {"mpi", "upcxx", "upc", "graph"}) {
            const auto ranks = object.find(list);
            if (ranks == object.end() || !ranks->is_array() || ranks->empty()) continue;
            for (std::size_t rank = 0; rank < ranks->size(); ++rank)
                read_tree((*ranks)[rank], location(rank));
            return ranks->size();
        }
        const auto ranks = object.find("ranks");
        if (ranks == object.end() || !ranks->is_array())
            fail(fmt::format("component '{}' has neither trees nor a list 'ranks'", key));
        for (std::size_t rank = 0; rank < ranks->size(); ++rank) read_list((*ranks)[rank], location(rank));
        return std::max<std::size_t>(1, ranks->size());
    }

    static std::uint32_t location(std::size_t rank) { return static_cast<std::uint32_t>(rank); }

    void read_tree(const json& trees, std::uint32_t rank) {
        struct Open {
            const json* node;
            std::size_t levels;  ///< of regions around it
        };
        std::vector<Open> open;
        std::vector<std::string> paths;  ///< of the regions around the node in hand
        const auto push = [&open](const json& nodes, std::size_t levels) {
            for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
                open.push_back({.node = &*node, .levels = levels});
        };
        if (trees.is_object()) {
            open.push_back({.node = &trees, .levels = 0});
        } else if (trees.is_array()) {
            push(trees, 0);
        }
        while (!open.empty()) {
            const Open at = open.back();
            open.pop_back();
            paths.resize(at.levels);
            const auto fail_here = [&](const std::string& what) {
                fail_at(rank, "below", paths.empty() ? std::string_view() : paths.back(), what);
            };
            const auto values = at.node->is_object() ? at.node->find("node") : at.node->end();
            if (!at.node->is_object() || values == at.node->end()) fail_here("a node of a tree is damaged");
            const std::string name = text_at(*values, "prefix");
            if (name.empty()) fail_here("a node of a tree has no name");
            if (!name.starts_with(no_region)) {
                if (paths.size() >= most_levels)
                    fail_here(fmt::format("has regions more than {} levels deep", most_levels));
                Row row{.path = paths.empty() ? name : experiment::path_below(paths.back(), name)};
                const auto inclusive = number(*values, "inclusive", "repr_data");
                const auto exclusive = number(*values, "exclusive", "repr_data");
                row.is_measured = inclusive.has_value() && exclusive.has_value();
                row.inclusive = inclusive.value_or(0.0);
                row.exclusive = exclusive.value_or(0.0);
                row.laps = number(*values, "inclusive", "laps").value_or(0.0);
                add(row, rank);
                paths.push_back(std::move(row.path));
            }
            if (const auto below = at.node->find("children"); below != at.node->end() && below->is_array())
                push(*below, paths.size());
        }
    }

    static std::optional<double> number(const json& values, const char* kind, const char* key) {
        const auto of_kind = values.is_object() ? values.find(kind) : values.end();
        if (!values.is_object() || of_kind == values.end() || !of_kind->is_object()) return std::nullopt;
        const auto entry = of_kind->find("entry");
        return entry == of_kind->end() ? std::nullopt : number_at(*entry, key);
    }

    /// In a list each region stands behind the one above it, with its depth and inclusive value.
    void read_list(const json& rank_object, std::uint32_t rank) {
        const auto graph = rank_object.is_object() ? rank_object.find("graph") : rank_object.end();
        if (!rank_object.is_object() || graph == rank_object.end() || !graph->is_array())
            fail_at(rank, "behind", {}, "has no list 'graph'");
        std::vector<Row> open;
        const auto close = [&] {
            add(open.back(), rank);
            open.pop_back();
        };
        for (const json& object : *graph) {
            const std::string prefix = text_at(object, "prefix");
            const std::string_view name = name_of(prefix);
            const auto depth = number_at(object, "depth");
            if (name.empty() || !depth || !(*depth >= 0.0)) {
                fail_at(rank, "behind", open.empty() ? std::string_view() : open.back().path,
                        "a row of 'graph' has no name or no depth");
            }
            while (!open.empty() && static_cast<double>(open.size()) > *depth) close();
            if (open.size() >= most_levels) {
                fail_at(rank, "behind", open.back().path,
                        fmt::format("has regions more than {} levels deep", most_levels));
            }
            Row row{.path =
                        open.empty() ? std::string(name) : experiment::path_below(open.back().path, name)};
            const auto entry = object.find("entry");
            const auto value = entry == object.end() ? std::nullopt : number_at(*entry, "repr_data");
            row.is_measured = value.has_value();
            row.inclusive = row.exclusive = value.value_or(0.0);
            row.laps = entry == object.end() ? 0.0 : number_at(*entry, "laps").value_or(0.0);
            if (!open.empty()) open.back().exclusive -= row.inclusive;
            open.push_back(std::move(row));
        }
        while (!open.empty()) close();
    }

    void add(const Row& row, std::uint32_t rank) {
        if (!row.is_measured) {
            sink_->builder.note(place_,
                                fmt::format("'{}' is no single number, and is left out", component_.name));
            return;
        }
        const experiment::RegionId region = sink_->builder.region(row.path);
        const experiment::MetricId metric = sink_->metric(component_.name, component_.unit);
        const Joining joining = component_.adds_up ? Joining::sum : Joining::largest;
        double own = component_.adds_up ? row.exclusive : row.inclusive;
        if (component_.adds_up && own < 0.0) {
            // Regions within ran at the same time on several threads.
            sink_->builder.note(place_,
                                fmt::format("{} of '{}' without that of the regions within is negative, "
                                            "and is taken for 0",
                                            component_.name, row.path));
            own = 0.0;
        }
        part_.add(region, metric, component_.factor * own, rank, joining);
        if (component_.adds_up) {
            part_.add(region, sink_->metric(component_.name + ".inclusive", component_.unit),
                      component_.factor * row.inclusive, rank);
        }
        if (counts_visits_) part_.add(region, sink_->metric("visits", ""), row.laps, rank);
    }

    /// timemory writes the same twice: `wall.json` is the list, `wall.tree.json` the tree. What comes first
    /// is kept.
    [[nodiscard]] bool is_there_twice() const {
        const auto base_of = [](const std::string& file) {
            std::filesystem::path path(file);
            if (path.extension() == ".gz") path.replace_extension();
            if (path.extension() != ".json") return file;
            const std::filesystem::path stem = path.parent_path() / path.stem();
            return stem.extension() == ".tree" ? (stem.parent_path() / stem.stem()).string() : stem.string();
        };
        const std::string& first =
            sink_->builder.first_to_tell("timemory " + base_of(place_.file), place_.file);
        if (first == place_.file) return false;
        sink_->builder.note(place_, fmt::format("is left out: {} tells the same", first));
        return true;
    }

    Sink* sink_;
    Place place_;
    json document_;
    Part part_;
    std::string key_;  ///< of the component in hand
    Component component_;
    bool counts_visits_ = false;
};

}  // namespace

bool is_timemory(const experiment::Probe& probe) {
    return has_key(probe, "timemory") && has_key(probe, "unit_repr");
}

void read_timemory(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
