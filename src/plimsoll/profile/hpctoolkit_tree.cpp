#include "plimsoll/profile/detail/hpctoolkit_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/limits.hpp"

namespace plimsoll::profile::detail {

namespace {

using Column = HpctoolkitTree::Column;
using Node = HpctoolkitTree::Node;

constexpr std::size_t most_bytes = std::size_t{256} << 20U;  // becomes ten times as much in memory

/// What a metric's name ends with: "CPUTIME (usec)".
struct Unit {
    std::string_view ending;
    double factor;
};
constexpr std::array time_units{Unit{" (usec)", 1e-6}, Unit{" (sec)", 1.0}, Unit{" (msec)", 1e-3},
                                Unit{" (nsec)", 1e-9}};

/// What hpcprof-mpi computes over the threads. Events have colons in their names, too: "perf::CYCLES".
constexpr std::array<std::string_view, 8> statistics{"Sum",    "Mean",  "Min",     "Max",
                                                     "StdDev", "CfVar", "CoefVar", "Num"};
constexpr std::string_view total = ".total";

bool take_ending(std::string_view& text, std::string_view ending) {
    if (!text.ends_with(ending)) return false;
    text.remove_suffix(ending.size());
    return true;
}

/// Takes ":Sum" off a name; empty where it has no statistic.
std::string_view take_statistic(std::string_view& name) {
    const std::size_t colon = name.rfind(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view statistic = name.substr(colon + 1);
    if (std::find(statistics.begin(), statistics.end(), statistic) == statistics.end()) return {};
    name = name.substr(0, colon);
    return statistic;
}

std::optional<std::uint32_t> id_of(const pugi::xml_node& node, const char* attribute) {
    const auto number = parse_whole(node.attribute(attribute).value());
    if (!number || *number < 0 || *number > 0xffffffff) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

/// Calls the nearest to elapsed time `time`, and marks inclusive columns.
void name_columns(std::vector<Column>& columns) {
    std::string time;
    for (const std::string_view best : {"WALLCLOCK", "REALTIME", "CPUTIME"}) {
        const bool is_there = std::any_of(columns.begin(), columns.end(), [best](const Column& column) {
            return column.unit == "s" && column.name == best;
        });
        if (is_there && time.empty()) time = best;
    }
    for (Column& column : columns) {
        if (!time.empty() && column.unit == "s" &&
            (column.name == time || column.name.starts_with(time + ".")))
            column.name.replace(0, time.size(), "time");
        if (column.is_inclusive) column.name += ".inclusive";
    }
}

class Reader {
  public:
    explicit Reader(Input& input) : input_(&input) {}

    HpctoolkitTree read() {
        parse();
        tree_.program = profile_.attribute("n").value();
        read_columns();
        read_summed_columns();
        read_nodes();
        return std::move(tree_);
    }

  private:
    [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
        throw Error(ErrorKind::input, Place{.file = input_->name(), .line = line}, what, hpctoolkit_hint);
    }
    [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const {
        fail(line_of(node.offset_debug()), what);
    }

    [[nodiscard]] std::uint64_t line_of(std::ptrdiff_t offset) const {
        const auto end = text_.begin() + std::min(offset, static_cast<std::ptrdiff_t>(text_.size()));
        return static_cast<std::uint64_t>(std::count(text_.begin(), end, '\n')) + 1;
    }

    void check_size(std::size_t size) const {
        if (size <= most_bytes) return;
        throw Error(ErrorKind::input, Place{.file = input_->name()},
                    fmt::format("is larger than {} MiB, which would take ten times as much memory",
                                most_bytes >> 20U),
                    "make a database of a run with fewer call paths");
    }

    void parse() {
        check_size(static_cast<std::size_t>(input_->size()));
        constexpr std::size_t block = std::size_t{1} << 16U;
        for (std::string_view piece = input_->take(block); !piece.empty(); piece = input_->take(block)) {
            text_ += piece;
            check_size(text_.size());
        }
        const auto parsed = document_.load_buffer(text_.data(), text_.size());
        if (!parsed)
            fail(line_of(parsed.offset), fmt::format("is no XML: {}", lower_case(parsed.description())));
        profile_ = document_.child("HPCToolkitExperiment").child("SecCallPathProfile");
        if (!profile_) fail(0, "holds no 'SecCallPathProfile'");
        header_ = profile_.child("SecHeader");
    }

    /// "CPUTIME (usec):Sum (I)": name, unit, statistic over the threads where there is one, inclusive or
    /// exclusive.
    static Column column(const pugi::xml_node& node, std::string_view* statistic) {
        std::string_view name = node.attribute("n").value();
        Column made;
        made.is_inclusive = std::string_view(node.attribute("t").value()) == "inclusive";
        if (!take_ending(name, " (I)")) (void)take_ending(name, " (E)");
        if (statistic != nullptr) *statistic = take_statistic(name);
        for (const Unit& unit : time_units) {
            if (!take_ending(name, unit.ending)) continue;
            made.unit = "s";
            made.factor = unit.factor;
        }
        made.name = name;
        return made;
    }

    void read_columns() {
        for (const pugi::xml_node& node : header_.child("MetricDBTable").children("MetricDB")) {
            Column made = column(node, nullptr);
            const auto id = id_of(node, "db-id");
            if (!id || made.name.empty()) fail(0, "a 'MetricDB' has no name or no db-id");
            made.id = *id;
            tree_.columns.push_back(std::move(made));
        }
        name_columns(tree_.columns);
    }

    void read_summed_columns() {
        std::vector<Column>& columns = tree_.summed_columns;
        bool has_means = false;
        for (const pugi::xml_node& node : header_.child("MetricTable").children("Metric")) {
            std::string_view statistic;
            Column made = column(node, &statistic);
            const auto id = id_of(node, "i");
            if (!id || made.name.empty()) fail(0, "a 'Metric' has no name or no number");
            made.id = *id;
            if (statistic == "Mean") {
                has_means = true;
            } else if (statistic == "Sum" || statistic == "Min" || statistic == "Max") {
                made.name += statistic == "Sum" ? std::string(total) : "." + lower_case(statistic);
            } else if (!statistic.empty()) {
                continue;  // how much the threads differ
            }
            columns.push_back(std::move(made));
        }
        if (!has_means) {
            for (Column& sum : columns) {
                if (sum.name.ends_with(total)) sum.name.resize(sum.name.size() - total.size());
            }
        }
        name_columns(columns);
        for (std::uint32_t i = 0; i < columns.size(); ++i) summed_of_[columns[i].id].push_back(i);
    }

    void read_nodes() {
        for (const pugi::xml_node& procedure : header_.child("ProcedureTable").children("Procedure"))
            references_.emplace(procedure.attribute("i").value(), procedure.attribute("n").value());
        const pugi::xml_node top = profile_.child("SecCallPathProfileData");
        pugi::xml_node node = top.first_child();
        while (node) {
            visit(node);
            if (node.first_child()) {
                node = node.first_child();
                continue;
            }
            while (true) {
                if (!open_.empty() && open_.back().node == node) open_.pop_back();
                if (node == top || node.next_sibling()) break;
                node = node.parent();
            }
            node = node == top ? pugi::xml_node() : node.next_sibling();
        }
        // Each value is there for the statement and once more for its frame.
        if (has_statements_) {
            for (Node& known : tree_.nodes) known.has_exclusive = known.is_statement;
            for (auto& sum : tree_.sums) sum.node.has_exclusive = sum.node.is_statement;
        }
        std::stable_sort(tree_.nodes.begin(), tree_.nodes.end(),
                         [](const Node& a, const Node& b) { return a.id < b.id; });
    }

    void visit(const pugi::xml_node& node) {
        constexpr std::uint64_t nodes_between_polls = 1U << 12U;
        if (++visited_ % nodes_between_polls == 0) input_->poll();
        const std::string_view kind = node.name();
        if (kind == "M") return;
        const bool is_procedure = kind == "PF" || kind == "Pr";
        if (is_procedure) open(node);
        const bool is_statement = kind == "S";
        if (open_.empty() || !(is_procedure || is_statement)) return;
        const auto id = id_of(node, "i");
        if (!id || *id == 0) fail(node, fmt::format("'{}' has no number", kind));
        has_statements_ = has_statements_ || is_statement;
        // A procedure frame holds the values of its statements, and of those of procedures inlined in it.
        const Node made{.id = *id,
                        .procedure = open_.back().procedure,
                        .is_statement = is_statement,
                        .has_inclusive = is_procedure && !open_.back().is_folded,
                        .has_exclusive = is_statement || kind == "PF"};
        tree_.nodes.push_back(made);
        for (const pugi::xml_node& value : node.children("M")) {
            const auto metric = id_of(value, "n");
            const auto number = parse_number(value.attribute("v").value());
            if (!metric || !number || !std::isfinite(*number)) fail(value, "a value is no number");
            const auto columns = summed_of_.find(*metric);
            if (columns == summed_of_.end()) continue;
            for (const std::uint32_t column : columns->second)
                tree_.sums.push_back({.node = made, .column = column, .value = *number});
        }
    }

    /// Enters a procedure.
    void open(const pugi::xml_node& node) {
        const std::string_view reference = node.attribute("n").value();
        const auto found = references_.find(reference);
        // Some versions write the name itself.
        const std::string_view name = found == references_.end() ? reference : found->second;
        if (name.empty()) fail(node, "a procedure has no name");
        if (open_.size() >= most_levels) {
            tree_.is_folded = true;
            open_.push_back({.node = node, .procedure = open_.back().procedure, .is_folded = true});
            return;
        }
        const auto [known, is_new] = names_.try_emplace(name, static_cast<std::uint32_t>(tree_.names.size()));
        if (is_new) tree_.names.emplace_back(name);
        tree_.procedures.push_back(
            {.above = open_.empty() ? HpctoolkitTree::none : open_.back().procedure, .name = known->second});
        open_.push_back({.node = node,
                         .procedure = static_cast<std::uint32_t>(tree_.procedures.size() - 1),
                         .is_folded = false});
    }

    struct Open {
        pugi::xml_node node;
        std::uint32_t procedure;
        bool is_folded;
    };

    Input* input_;
    HpctoolkitTree tree_;
    std::string text_;
    pugi::xml_document document_;
    pugi::xml_node profile_;  ///< SecCallPathProfile
    pugi::xml_node header_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> summed_of_;  ///< by number in the XML
    std::unordered_map<std::string_view, std::string_view> references_;        ///< names of procedures
    std::unordered_map<std::string_view, std::uint32_t> names_;                ///< in `tree_.names`
    std::vector<Open> open_;  ///< procedures around the node in hand
    std::uint64_t visited_ = 0;
    bool has_statements_ = false;
};

}  // namespace

std::string HpctoolkitTree::path(std::uint32_t procedure) const {
    std::vector<std::uint32_t> levels;
    for (std::uint32_t at = procedure; at != none; at = procedures[at].above) levels.push_back(at);
    std::string path;
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        if (level != levels.rbegin()) path += experiment::arrow;
        path += names[procedures[*level].name];
    }
    return path;
}

HpctoolkitTree read_hpctoolkit_tree(Input& input) { return Reader(input).read(); }

}  // namespace plimsoll::profile::detail
