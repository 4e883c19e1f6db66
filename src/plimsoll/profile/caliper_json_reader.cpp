#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/caliper_columns.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"

namespace plimsoll::profile::detail {

namespace {

using nlohmann::json;

constexpr std::string_view outside = "(outside regions)";

struct Node {
    std::string path;    ///< of labels, down to this one
    std::string column;  ///< that it belongs to
    bool has_parent = false;
};

class Reader {
  public:
    Reader(Input& input, Sink& sink)
        : sink_(&sink), place_{.file = input.name()}, document_(read_json(input)), columns_(sink) {}

    void read() {
        read_columns();
        read_nodes();
        choose_path();
        std::size_t row = 0;
        for (const json& values : list("data")) read_row(values, row++);
        if (columns_.empty()) return;
        Part& part = sink_->parts.emplace_back();
        part.place = place_;
        columns_.deliver(part);
        for (const auto& [key, value] : document_.items()) {
            if (value.is_string()) part.metadata.emplace(key, value.get<std::string>());
            if (value.is_number()) part.metadata.emplace(key, value.dump());
        }
        for (const char* const name : {"jobsize", "mpi.world.size"}) {
            const auto entry = part.metadata.find(name);
            if (entry == part.metadata.end() || part.processes) continue;
            if (const auto number = parse_number(entry->second); number && *number >= 1.0 && *number < 1e9)
                part.processes = static_cast<std::int64_t>(*number);
        }
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, place_, what, "write it again with the option json-split of Caliper");
    }

    const json& list(const char* key) const {
        const auto found = document_.is_object() ? document_.find(key) : document_.end();
        if (found == document_.end() || !found->is_array()) fail(fmt::format("holds no list '{}'", key));
        return *found;
    }

    void read_columns() {
        const json& names = list("columns");
        const json& metadata = list("column_metadata");
        if (names.size() != metadata.size())
            fail(fmt::format("describes {} of {} columns", metadata.size(), names.size()));
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!names[i].is_string() || !metadata[i].is_object())
                fail("a column has no name or no description");
            const auto name = names[i].get<std::string>();
            const auto value = metadata[i].find("is_value");
            const bool is_value = value != metadata[i].end() && value->is_boolean() && value->get<bool>();
            names_.push_back(name);
            is_value_.push_back(is_value);
            column_of_.emplace_back();
            if (!is_value) continue;
            if (name == "mpi.rank") {
                rank_column_ = i;
                continue;
            }
            std::string unit = text_at(metadata[i], "attribute.unit");
            if (unit == "sec") unit = "s";
            column_of_.back() = columns_.declare(name, unit, false);
            // Older versions wrote microseconds, newer ones seconds with their unit.
            if (unit.empty()) columns_.forget_unit(*column_of_.back());
        }
    }

    void read_nodes() {
        for (const json& node : list("nodes")) {
            const std::string label = text_at(node, "label");
            const auto parent = number_at(node, "parent");
            Node entry{.path = label, .column = text_at(node, "column")};
            if (parent) {
                // Parents come first.
                if (!(*parent >= 0.0) || *parent >= static_cast<double>(nodes_.size()))
                    fail(fmt::format("node {} is below node {}, which does not come before it", nodes_.size(),
                                     *parent));
                entry.path = experiment::path_below(nodes_[static_cast<std::size_t>(*parent)].path, label);
                entry.has_parent = true;
            }
            nodes_.push_back(std::move(entry));
        }
    }

    /// The column whose nodes are the call path: that of this name, else the one with most nested nodes.
    void choose_path() {
        std::optional<std::size_t> best;
        std::size_t most = 0;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (is_value_[i]) continue;
            if (names_[i] == "path") {
                path_column_ = i;
                return;
            }
            const auto nested =
                static_cast<std::size_t>(std::count_if(nodes_.begin(), nodes_.end(), [&](const Node& n) {
                    return n.column == names_[i] && n.has_parent;
                }));
            if (!best || nested > most) best = i;
            most = std::max(most, nested);
        }
        path_column_ = best;
    }

    void read_row(const json& values, std::size_t row) {
        if (!values.is_array() || values.size() != names_.size())
            fail(fmt::format("row {} of the data does not have {} values", row, names_.size()));
        std::string_view path = outside;
        if (path_column_ && values[*path_column_].is_number_integer()) {
            const auto node = values[*path_column_].get<std::int64_t>();
            if (node < 0 || static_cast<std::size_t>(node) >= nodes_.size())
                fail(fmt::format("row {} of the data refers to node {} of {}", row, node, nodes_.size()));
            path = nodes_[static_cast<std::size_t>(node)].path;
        }
        constexpr std::int64_t most_ranks = std::int64_t{1} << 24U;
        std::int64_t rank = 0;
        if (rank_column_ && values[*rank_column_].is_number_integer())
            rank = values[*rank_column_].get<std::int64_t>();
        if (rank < 0 || rank >= most_ranks)
            fail(fmt::format("row {} of the data has the rank {}", row, rank));
        const experiment::RegionId region = sink_->builder.region(path);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (!column_of_[i] || !columns_.is_wanted(*column_of_[i]) || !values[i].is_number()) continue;
            columns_.add(*column_of_[i], region, static_cast<std::uint32_t>(rank), values[i].get<double>());
        }
    }

    Sink* sink_;
    Place place_;
    json document_;
    CaliperColumns columns_;
    std::vector<std::string> names_;
    std::vector<bool> is_value_;
    std::vector<std::optional<std::uint32_t>> column_of_;  ///< of what is a value to model
    std::vector<Node> nodes_;
    std::optional<std::size_t> path_column_;
    std::optional<std::size_t> rank_column_;
};

}  // namespace

bool is_caliper_json(const experiment::Probe& probe) {
    const std::string_view head = trim(probe.head);
    constexpr std::string_view key = "\"data\"";
    if (!head.starts_with('{') || !trim(head.substr(1)).starts_with(key)) return false;
    const std::string_view behind = trim(trim(head.substr(1)).substr(key.size()));
    return behind.starts_with(':') && trim(behind.substr(1)).starts_with('[') &&
           trim(trim(behind.substr(1)).substr(1)).starts_with('[');
}

void read_caliper_json(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
