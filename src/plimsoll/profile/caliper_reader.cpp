#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/core/decimal.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/caliper_columns.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

// Ids of the nodes that every file has without saying so: its types, and the attributes of attributes.
constexpr std::uint32_t name_attribute = 8;
constexpr std::uint32_t properties_attribute = 10;
constexpr std::uint32_t built_in_nodes = 12;
constexpr std::uint32_t most_nodes = 1U << 28U;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// Properties of attributes, from Caliper's cali_types.h.
constexpr unsigned hidden_property = 128;
constexpr unsigned nested_property = 256;

constexpr std::string_view outside = "(outside regions)";

struct Node {
    std::uint32_t attribute = none;
    std::uint32_t parent = none;
    std::string data;
};

struct Attribute {
    std::string name;
    std::string unit;
    bool is_nested = false;
    bool is_hidden = false;
};

/// The text of a field, without its backslashes.
std::string unescaped(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            plain += text[i] == 'n' ? '\n' : text[i];
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// Takes what is before the first `=` or `,` that no backslash stands before.
std::string_view take_field(std::string_view& text, char& separator) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != '=' && text[end] != ',') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    const std::string_view taken = text.substr(0, end);
    separator = end < text.size() ? text[end] : '\0';
    text.remove_prefix(std::min(text.size(), end + 1));
    return taken;
}

class Reader {
  public:
    Reader(Input& input, Sink& sink) : lines_(input), sink_(&sink), columns_(sink) {
        nodes_.resize(built_in_nodes);
    }

    void read() {
        std::string_view line;
        while (lines_.next(line)) {
            if (!lines_.is_whole()) fail("the file ends within a line");
            read_line(line);
        }
        if (columns_.empty()) return;
        Part& part = sink_->parts.emplace_back();
        part.place = {.file = lines_.file()};
        part.metadata = std::move(globals_);
        columns_.deliver(part);
        for (const char* const name : {"jobsize", "mpi.world.size"}) {
            const auto entry = part.metadata.find(name);
            if (entry == part.metadata.end() || part.processes) continue;
            if (const auto number = parse_number(entry->second); number && *number >= 1.0)
                part.processes = static_cast<std::int64_t>(std::min(*number, 1e9));
        }
        if (const auto entry = part.metadata.find("mpi.rank"); entry != part.metadata.end()) {
            if (const auto number = parse_number(entry->second); number && *number >= 0.0)
                part.rank = static_cast<std::int64_t>(std::min(*number, 1e9));
        }
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, Place{.file = lines_.file(), .line = lines_.number()}, what,
                    "write the profile again; a program that was killed leaves a part of it");
    }

    std::uint32_t id(std::string_view text) const {
        std::uint32_t number = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failure != std::errc() || end != text.data() + text.size() || number >= most_nodes)
            fail(fmt::format("'{}' is no number of a node", excerpt(text)));
        return number;
    }

    std::uint32_t known_id(std::string_view text) const {
        const std::uint32_t number = id(text);
        const bool built_in = number < built_in_nodes;
        if (number >= nodes_.size() || (!built_in && nodes_[number].attribute == none))
            fail(fmt::format("node {} is not there", number));
        return number;
    }

    void read_line(std::string_view line) {
        if (line.empty()) return;
        record_ = {};
        references_.clear();
        attributes_.clear();
        data_.clear();
        std::uint32_t node_id = none;
        std::uint32_t parent = none;
        char separator = ',';
        while (!line.empty()) {
            const std::string_view key = take_field(line, separator);
            if (separator != '=') {
                if (record_.empty()) fail(fmt::format("'{}' is no record of Caliper's", excerpt(key)));
                fail(fmt::format("'{}' has no value", excerpt(key)));
            }
            std::vector<std::string_view>* const list = key == "data" ? &data_ : nullptr;
            do {
                const std::string_view value = take_field(line, separator);
                if (list != nullptr) {
                    list->push_back(value);
                } else if (key == "__rec") {
                    record_ = value;
                } else if (key == "ref") {
                    references_.push_back(known_id(value));
                } else if (key == "attr") {
                    attributes_.push_back(known_id(value));
                } else if (key == "id") {
                    node_id = id(value);
                } else if (key == "parent") {
                    parent = known_id(value);
                }
            } while (separator == '=');
        }
        if (record_ == "node") {
            read_node(node_id, parent);
        } else if (record_ == "ctx") {
            read_values();
        } else if (record_ == "globals") {
            read_globals();
        } else {
            fail(fmt::format("'{}' is no kind of record of Caliper's", excerpt(record_)));
        }
    }

    void read_node(std::uint32_t node_id, std::uint32_t parent) {
        if (node_id == none || attributes_.size() != 1 || data_.size() != 1)
            fail("a node has an id, an attribute and its data");
        if (node_id < built_in_nodes) return;
        if (parent == node_id) fail(fmt::format("node {} is below itself", node_id));
        // A gap is no reason for memory that the file does not fill.
        if (node_id > nodes_.size() + (1U << 16U) + nodes_.size())
            fail(fmt::format("node {} comes after {} others", node_id, nodes_.size()));
        if (node_id >= nodes_.size()) nodes_.resize(node_id + 1);
        if (nodes_[node_id].attribute != none) fail(fmt::format("node {} is there twice", node_id));
        nodes_[node_id] = {
            .attribute = attributes_.front(), .parent = parent, .data = unescaped(data_.front())};
        if (attributes_.front() == name_attribute && nodes_[node_id].data == "mpi.rank")
            rank_attribute_ = node_id;
        if (attributes_.front() == rank_attribute_) has_rank_nodes_ = true;
    }

    const Attribute& attribute(std::uint32_t node) {
        if (const auto found = known_attributes_.find(node); found != known_attributes_.end())
            return found->second;
        Attribute attribute;
        attribute.name = nodes_[node].data;
        for (std::uint32_t at = nodes_[node].parent; at != none && at >= built_in_nodes;
             at = nodes_[at].parent) {
            const Node& above = nodes_[at];
            if (above.attribute == properties_attribute) {
                unsigned properties = 0;
                std::from_chars(above.data.data(), above.data.data() + above.data.size(), properties);
                attribute.is_nested = (properties & nested_property) != 0;
                attribute.is_hidden = (properties & hidden_property) != 0;
            } else if (above.attribute >= built_in_nodes &&
                       nodes_[above.attribute].data == "attribute.unit") {
                attribute.unit = above.data == "sec" ? "s" : above.data;
            }
        }
        return known_attributes_.emplace(node, std::move(attribute)).first->second;
    }

    /// Names of regions from a node up to the root, the innermost first.
    void collect_regions(std::uint32_t node, std::vector<std::uint32_t>& regions) {
        for (; node != none && node >= built_in_nodes; node = nodes_[node].parent) {
            if (attribute(nodes_[node].attribute).is_nested) regions.push_back(node);
        }
    }

    experiment::RegionId region_of_references() {
        if (references_.size() == 1) {
            const auto found = region_of_.find(references_.front());
            if (found != region_of_.end()) return found->second;
        }
        std::string path;
        for (const std::uint32_t reference : references_) {
            chain_.clear();
            collect_regions(reference, chain_);
            std::reverse(chain_.begin(), chain_.end());
            for (const std::uint32_t node : chain_)
                path = path.empty() ? nodes_[node].data : experiment::path_below(path, nodes_[node].data);
        }
        const experiment::RegionId region = sink_->builder.region(path.empty() ? outside : path);
        if (references_.size() == 1) region_of_.emplace(references_.front(), region);
        return region;
    }

    /// The column of an attribute, which is declared where it is first used.
    std::uint32_t column_of(std::uint32_t node) {
        if (node >= column_of_.size()) column_of_.resize(nodes_.size(), none);
        std::uint32_t& column = column_of_[node];
        if (column == none) {
            const Attribute& named = attribute(node);
            column = columns_.declare(named.name, named.unit, named.is_hidden);
        }
        return column;
    }

    std::uint32_t location_of_record() const {
        for (std::size_t i = 0; i < attributes_.size(); ++i) {
            if (attributes_[i] == rank_attribute_) return rank(data_[i]);
        }
        if (!has_rank_nodes_) return 0;
        for (const std::uint32_t reference : references_) {
            for (std::uint32_t at = reference; at != none && at >= built_in_nodes; at = nodes_[at].parent) {
                if (nodes_[at].attribute == rank_attribute_) return rank(nodes_[at].data);
            }
        }
        return 0;
    }
    std::uint32_t rank(std::string_view text) const {
        constexpr std::uint32_t most_ranks = 1U << 24U;
        std::uint32_t number = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc() ||
            number >= most_ranks)
            fail(fmt::format("'{}' is no rank of a process", excerpt(text)));
        return number;
    }

    void read_values() {
        if (data_.size() != attributes_.size()) {
            fail(fmt::format("there are {} values for {} attributes", data_.size(), attributes_.size()));
        }
        if (attributes_.empty()) return;
        const experiment::RegionId region = region_of_references();
        const std::uint32_t location = location_of_record();
        for (std::size_t i = 0; i < attributes_.size(); ++i) {
            const std::uint32_t column = column_of(attributes_[i]);
            if (!columns_.is_wanted(column)) continue;
            double value = 0.0;
            const std::string_view text = data_[i];
            const auto [end, failure] = read_decimal(text.data(), text.data() + text.size(), value);
            if (failure != std::errc() || end != text.data() + text.size()) {
                columns_.leave_out(column);  // texts are no measurements
                continue;
            }
            columns_.add(column, region, location, value);
        }
    }

    void read_globals() {
        for (const std::uint32_t reference : references_) {
            for (std::uint32_t at = reference; at != none && at >= built_in_nodes; at = nodes_[at].parent)
                globals_.emplace(attribute(nodes_[at].attribute).name, nodes_[at].data);
        }
        for (std::size_t i = 0; i < std::min(attributes_.size(), data_.size()); ++i)
            globals_[attribute(attributes_[i]).name] = unescaped(data_[i]);
    }

    LineReader lines_;
    Sink* sink_;
    CaliperColumns columns_;
    std::vector<Node> nodes_;
    std::unordered_map<std::uint32_t, Attribute> known_attributes_;
    std::unordered_map<std::uint32_t, experiment::RegionId> region_of_;
    std::map<std::string, std::string> globals_;
    std::vector<std::uint32_t> column_of_;  ///< of each attribute's node
    std::uint32_t rank_attribute_ = none;
    bool has_rank_nodes_ = false;
    // Of one line.
    std::string_view record_;
    std::vector<std::uint32_t> references_;
    std::vector<std::uint32_t> attributes_;
    std::vector<std::string_view> data_;
    std::vector<std::uint32_t> chain_;
};

}  // namespace

bool is_caliper(const experiment::Probe& probe) { return trim(probe.head).starts_with("__rec="); }

void read_caliper(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
