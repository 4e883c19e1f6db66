#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/hpctoolkit.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view experiment_file = "experiment.xml";
constexpr std::string_view values_ending = ".metric-db";
constexpr std::string_view values_mark = "HPCPROF-metricdb__";
constexpr std::size_t version_size = 5;
constexpr std::size_t header_size = 32;  // mark, version, byte order, and two counts of four bytes
constexpr std::size_t longest_text = std::size_t{1} << 30U;
/// What lies deeper counts for the procedure at this level: paths repeat the names of all callers.
constexpr std::size_t most_levels = 1000;
constexpr std::uint64_t most_columns = 1U << 20U;

constexpr const char* hint = "write the database again with hpcprof or hpcprof-mpi, and copy it whole";

/// What a metric's name ends with: "CPUTIME (usec)".
struct Unit {
    std::string_view ending;
    double factor;
};
constexpr std::array time_units{Unit{" (usec)", 1e-6}, Unit{" (sec)", 1.0}, Unit{" (msec)", 1e-3},
                                Unit{" (nsec)", 1e-9}};

bool take_ending(std::string_view& text, std::string_view ending) {
    if (!text.ends_with(ending)) return false;
    text.remove_suffix(ending.size());
    return true;
}

std::uint64_t whole(std::string_view bytes, std::endian order) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char byte = order == std::endian::big ? bytes[i] : bytes[bytes.size() - 1 - i];
        value = (value << 8U) | static_cast<unsigned char>(byte);
    }
    return value;
}

std::optional<std::uint32_t> id_of(const pugi::xml_node& node, const char* attribute) {
    const auto number = parse_whole(node.attribute(attribute).value());
    if (!number || *number < 0 || *number > 0xffffffff) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::string head_of(const std::string& file) {
    constexpr std::size_t probe_size = std::size_t{1} << 16U;
    try {
        Input input(file);
        return std::string(input.peek(probe_size));
    } catch (const Error&) {
        return {};  // says nothing of its format
    }
}

}  // namespace

struct HpctoolkitReader::Document {
    std::string text;
    pugi::xml_document tree;
    pugi::xml_node profile;  ///< SecCallPathProfile
    std::string file;
};

std::optional<HpctoolkitThread> hpctoolkit_thread(std::string_view file) {
    if (!take_ending(file, values_ending)) return std::nullopt;
    // program-rank-thread-host-process-generation
    const auto pieces = split(file, '-');
    if (pieces.size() < 6) return std::nullopt;
    const auto rank = parse_whole(pieces[pieces.size() - 5]);
    const auto thread = parse_whole(pieces[pieces.size() - 4]);
    if (!rank || !thread || *rank < 0 || *thread < 0) return std::nullopt;
    return HpctoolkitThread{.rank = *rank, .thread = *thread};
}

HpctoolkitReader::HpctoolkitReader(Input& experiment, Sink& sink) : sink_(&sink) {
    Document document;
    document.file = experiment.name();
    const auto fail = [&](std::uint64_t line, const std::string& what) {
        throw Error(ErrorKind::input, Place{.file = document.file, .line = line}, what, hint);
    };
    constexpr std::size_t block = std::size_t{1} << 16U;
    for (std::string_view piece = experiment.take(block); !piece.empty(); piece = experiment.take(block)) {
        document.text += piece;
        if (document.text.size() > longest_text) fail(0, "is larger than 1 GiB");
    }
    const auto parsed = document.tree.load_buffer(document.text.data(), document.text.size());
    if (!parsed) {
        const auto end = document.text.begin() +
                         std::min(parsed.offset, static_cast<std::ptrdiff_t>(document.text.size()));
        const auto newlines = std::count(document.text.begin(), end, '\n');
        fail(static_cast<std::uint64_t>(newlines) + 1,
             fmt::format("is no XML: {}", lower_case(parsed.description())));
    }
    document.profile = document.tree.child("HPCToolkitExperiment").child("SecCallPathProfile");
    if (!document.profile) fail(0, "holds no 'SecCallPathProfile'");
    part_.place = {.file = document.file};
    if (const char* const name = document.profile.attribute("n").value(); *name != '\0')
        part_.metadata.emplace("program", name);
    read_columns(document);
    read_nodes(document);
}

void HpctoolkitReader::read_columns(const Document& document) {
    const pugi::xml_node header = document.profile.child("SecHeader");
    // "CPUTIME (usec):Sum (I)": name, unit, statistic over the threads, inclusive or exclusive.
    const auto column = [](const pugi::xml_node& node, std::string_view& statistic) {
        std::string_view name = node.attribute("n").value();
        Column made;
        made.is_inclusive = std::string_view(node.attribute("t").value()) == "inclusive";
        if (!take_ending(name, " (I)")) (void)take_ending(name, " (E)");
        if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) {
            statistic = name.substr(colon + 1);
            name = name.substr(0, colon);
        }
        for (const Unit& unit : time_units) {
            if (!take_ending(name, unit.ending)) continue;
            made.unit = "s";
            made.factor = unit.factor;
        }
        made.name = name;
        return made;
    };
    for (const pugi::xml_node& node : header.child("MetricDBTable").children("MetricDB")) {
        std::string_view statistic;
        Column made = column(node, statistic);
        const auto id = id_of(node, "db-id");
        if (!id || made.name.empty()) {
            throw Error(ErrorKind::input, Place{.file = document.file},
                        "a 'MetricDB' has no name or no db-id", hint);
        }
        made.id = *id;
        columns_.push_back(std::move(made));
    }
    constexpr std::string_view total = ".total";
    bool has_means = false;
    for (const pugi::xml_node& node : header.child("MetricTable").children("Metric")) {
        std::string_view statistic;
        Column made = column(node, statistic);
        const auto id = id_of(node, "i");
        if (!id || made.name.empty()) {
            throw Error(ErrorKind::input, Place{.file = document.file}, "a 'Metric' has no name or no number",
                        hint);
        }
        made.id = *id;
        if (statistic == "Mean") {
            has_means = true;
        } else if (statistic == "Sum" || statistic == "Min" || statistic == "Max") {
            made.name += statistic == "Sum" ? std::string(total) : "." + lower_case(statistic);
        } else if (!statistic.empty()) {
            continue;  // how much the threads differ
        }
        summed_columns_.push_back(std::move(made));
    }
    if (!has_means) {
        for (Column& sum : summed_columns_) {
            if (sum.name.ends_with(total)) sum.name.resize(sum.name.size() - total.size());
        }
    }
    columns_ = named(std::move(columns_));
    summed_columns_ = named(std::move(summed_columns_));
}

/// Calls the nearest to elapsed time `time`, and marks inclusive columns.
std::vector<HpctoolkitReader::Column> HpctoolkitReader::named(std::vector<Column> columns) {
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
    return columns;
}

void HpctoolkitReader::read_nodes(const Document& document) {
    const auto fail = [&](const pugi::xml_node& node, const std::string& what) {
        const auto begin = document.text.begin();
        const auto end =
            begin + std::min(node.offset_debug(), static_cast<std::ptrdiff_t>(document.text.size()));
        throw Error(ErrorKind::input,
                    Place{.file = document.file,
                          .line = static_cast<std::uint64_t>(std::count(begin, end, '\n')) + 1},
                    what, hint);
    };
    std::unordered_map<std::string_view, std::string_view> procedures;
    for (const pugi::xml_node& procedure :
         document.profile.child("SecHeader").child("ProcedureTable").children("Procedure"))
        procedures.emplace(procedure.attribute("i").value(), procedure.attribute("n").value());
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> columns_of;  // of a metric of the XML
    for (std::uint32_t i = 0; i < summed_columns_.size(); ++i) columns_of[summed_columns_[i].id].push_back(i);

    struct Open {
        pugi::xml_node node;
        std::uint32_t procedure;
        bool is_folded;
    };
    std::vector<Open> open;  // procedures around the node in hand
    bool has_statements = false;
    bool is_folded = false;
    const pugi::xml_node top = document.profile.child("SecCallPathProfileData");
    pugi::xml_node node = top.first_child();
    const auto visit = [&] {
        const std::string_view kind = node.name();
        if (kind == "M") return;
        const bool is_procedure = kind == "PF" || kind == "Pr";
        if (is_procedure) {
            const std::string_view reference = node.attribute("n").value();
            const auto found = procedures.find(reference);
            // Some versions write the name itself.
            const std::string_view name = found == procedures.end() ? reference : found->second;
            if (name.empty()) fail(node, "a procedure has no name");
            if (open.size() >= most_levels) {
                is_folded = true;
                open.push_back({.node = node, .procedure = open.back().procedure, .is_folded = true});
            } else {
                Procedure made;
                made.path = open.empty()
                                ? std::string(name)
                                : experiment::path_below(procedures_[open.back().procedure].path, name);
                open.push_back({.node = node,
                                .procedure = static_cast<std::uint32_t>(procedures_.size()),
                                .is_folded = false});
                procedures_.push_back(std::move(made));
            }
        }
        const bool is_statement = kind == "S";
        if (open.empty() || !(is_procedure || is_statement)) return;
        const auto id = id_of(node, "i");
        if (!id || *id == 0) fail(node, fmt::format("'{}' has no number", kind));
        has_statements = has_statements || is_statement;
        // A procedure frame holds the values of its statements, and of those of procedures inlined in it.
        const Node made{.id = *id,
                        .procedure = open.back().procedure,
                        .has_inclusive = is_procedure && !open.back().is_folded,
                        .has_exclusive = is_statement || kind == "PF"};
        nodes_.push_back(made);
        for (const pugi::xml_node& value : node.children("M")) {
            const auto metric = id_of(value, "n");
            const auto number = parse_number(value.attribute("v").value());
            if (!metric || !number || !std::isfinite(*number)) fail(value, "a value is no number");
            const auto columns = columns_of.find(*metric);
            if (columns == columns_of.end()) continue;
            for (const std::uint32_t column : columns->second)
                sums_.push_back({.node = made, .column = column, .value = *number});
        }
    };
    while (node) {
        visit();
        if (node.first_child()) {
            node = node.first_child();
            continue;
        }
        while (true) {
            if (!open.empty() && open.back().node == node) open.pop_back();
            if (node == top || node.next_sibling()) break;
            node = node.parent();
        }
        node = node == top ? pugi::xml_node() : node.next_sibling();
    }
    if (is_folded) {
        sink_->builder.note(
            part_.place,
            fmt::format("procedures more than {} levels deep count for the one at this level", most_levels));
    }
    // Each value is there for the statement and once more for its frame.
    if (has_statements) {
        for (Node& known : nodes_) known.has_exclusive = known.has_exclusive && !known.has_inclusive;
        for (Sum& sum : sums_) sum.node.has_exclusive = sum.node.has_exclusive && !sum.node.has_inclusive;
    }
    std::stable_sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
}

void HpctoolkitReader::add(const Node& node, const Column& column, double value, std::uint32_t location) {
    if (value == 0.0 || !(column.is_inclusive ? node.has_inclusive : node.has_exclusive)) return;
    Procedure& procedure = procedures_[node.procedure];
    if (!procedure.region) procedure.region = sink_->builder.region(procedure.path);
    part_.add(*procedure.region, sink_->metric(column.name, column.unit), column.factor * value, location);
}

void HpctoolkitReader::read_values(Input& input, const HpctoolkitThread& thread) {
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorKind::input, Place{.file = input.name()}, what, hint);
    };
    const std::string header(input.take(header_size));
    if (header.size() < header_size || !header.starts_with(values_mark))
        fail(fmt::format("does not begin with '{}' and its counts", values_mark));
    const char order_mark = header[values_mark.size() + version_size];
    if (order_mark != 'b' && order_mark != 'l')
        fail(fmt::format("byte order '{:c}' is not b or l",
                         order_mark >= ' ' && order_mark <= '~' ? order_mark : '?'));
    const std::endian order = order_mark == 'b' ? std::endian::big : std::endian::little;
    const std::string_view counts = std::string_view(header).substr(header_size - 8);
    const std::uint64_t nodes = whole(counts.substr(0, 4), order);
    const std::uint64_t metrics = whole(counts.substr(4), order);
    if (metrics == 0 || metrics > most_columns) fail(fmt::format("has {} metrics a node", metrics));
    for (const Column& column : columns_) {
        if (column.id >= metrics)
            fail(
                fmt::format("has {} metrics a node, and experiment.xml names number {}", metrics, column.id));
    }
    const std::size_t row_size = 8 * static_cast<std::size_t>(metrics);
    if (const auto size = static_cast<std::uint64_t>(input.size());
        size != 0 && size != header_size + nodes * row_size)
        fail(fmt::format("is {} bytes long, and {} nodes with {} metrics take {}", size, nodes, metrics,
                         header_size + nodes * row_size));
    const std::uint32_t location = threads_++;
    ranks_.push_back(thread.rank);
    auto node = nodes_.begin();
    for (std::uint64_t id = 1; id <= nodes; ++id) {
        const std::string_view row = input.take(row_size);
        if (row.size() < row_size) fail(fmt::format("ends in node {} of {}", id, nodes));
        while (node != nodes_.end() && node->id < id) ++node;
        for (; node != nodes_.end() && node->id == id; ++node) {
            for (const Column& column : columns_) {
                const auto value =
                    std::bit_cast<double>(whole(row.substr(std::size_t{8} * column.id, 8), order));
                if (!std::isfinite(value)) fail(fmt::format("a value of node {} is not finite", id));
                add(*node, column, value, location);
            }
        }
    }
}

void HpctoolkitReader::finish() {
    if (threads_ == 0) {
        if (!columns_.empty() && !sums_.empty()) {
            sink_->builder.note(
                part_.place,
                "no files *.metric-db stand beside it, so that values are those of all threads together");
        }
        for (const Sum& sum : sums_) add(sum.node, summed_columns_[sum.column], sum.value, 0);
    } else {
        std::sort(ranks_.begin(), ranks_.end());
        part_.processes = std::unique(ranks_.begin(), ranks_.end()) - ranks_.begin();
        // A thread without any value is a location, too.
        if (!part_.values().empty()) {
            const Part::Value first = part_.values().front();
            for (std::uint32_t thread = 0; thread < threads_; ++thread)
                part_.add(first.region, first.metric, 0.0, thread);
        }
    }
    sink_->parts.push_back(std::move(part_));
}

bool is_hpctoolkit(const experiment::Probe& probe) {
    const std::string_view head = trim(probe.head);
    return head.starts_with("<?xml") &&
           (head.find("<!DOCTYPE HPCToolkitExperiment") != std::string_view::npos ||
            head.find("<HPCToolkitExperiment") != std::string_view::npos);
}

void read_hpctoolkit(Input& input, Sink& sink) {
    HpctoolkitReader reader(input, sink);
    std::vector<std::pair<HpctoolkitThread, std::string>> files;
    std::error_code failure;
    if (std::filesystem::is_regular_file(input.name(), failure)) {
        const std::filesystem::path folder = std::filesystem::path(input.name()).parent_path();
        std::filesystem::directory_iterator it(folder.empty() ? "." : folder, failure);
        for (; !failure && it != std::filesystem::end(it); it.increment(failure)) {
            const std::string name = it->path().filename().string();
            if (!name.ends_with(values_ending)) continue;
            const auto thread = hpctoolkit_thread(name);
            if (!thread) {
                throw Error(ErrorKind::input, Place{.file = it->path().string()},
                            "its name does not say of which process and thread it is", hint);
            }
            files.emplace_back(*thread, it->path().string());
        }
        if (failure) {
            throw Error(ErrorKind::environment, Place{.file = folder.string()},
                        fmt::format("cannot be listed: {}", failure.message()),
                        "check the permissions of the folder");
        }
    }
    std::sort(files.begin(), files.end());
    for (const auto& [thread, file] : files) {
        input.poll();
        Input values(file);
        reader.read_values(values, thread);
    }
    reader.finish();
}

bool is_hpctoolkit_folder(const std::string& path) {
    const std::string file = (std::filesystem::path(path) / experiment_file).string();
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) return false;
    const std::string head = head_of(file);
    return is_hpctoolkit({.path = file, .head = head});
}

void read_hpctoolkit_folder(const std::string& path, Sink& sink, Activity& activity) {
    Input input((std::filesystem::path(path) / experiment_file).string());
    input.count_for(activity);
    read_hpctoolkit(input, sink);
}

}  // namespace plimsoll::profile::detail
