#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/hpctoolkit.hpp"
#include "plimsoll/profile/detail/limits.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view experiment_file = "experiment.xml";
constexpr std::string_view values_ending = ".metric-db";
constexpr std::string_view values_mark = "HPCPROF-metricdb__";
constexpr std::size_t version_size = 5;
constexpr std::size_t header_size = 32;  // mark, version, byte order, and two counts of four bytes
constexpr std::uint64_t most_columns = 1U << 20U;
constexpr std::int64_t largest_rank = 999'999'999;

std::uint64_t whole(std::string_view bytes, std::endian order) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char byte = order == std::endian::big ? bytes[i] : bytes[bytes.size() - 1 - i];
        value = (value << 8U) | static_cast<unsigned char>(byte);
    }
    return value;
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

using ValuesFile = std::pair<HpctoolkitThread, std::string>;

/// The files of values beside `experiment.xml`, by rank and thread.
std::vector<ValuesFile> values_beside(const std::string& experiment) {
    std::vector<ValuesFile> files;
    std::error_code failure;
    if (!std::filesystem::is_regular_file(experiment, failure)) return files;
    const std::filesystem::path folder = std::filesystem::path(experiment).parent_path();
    std::filesystem::directory_iterator it(folder.empty() ? "." : folder, failure);
    for (; !failure && it != std::filesystem::end(it); it.increment(failure)) {
        const std::string name = it->path().filename().string();
        if (!name.ends_with(values_ending)) continue;
        const auto thread = hpctoolkit_thread(name);
        if (!thread) {
            throw Error(ErrorKind::input, Place{.file = it->path().string()},
                        "its name does not say of which process and thread it is", hpctoolkit_hint);
        }
        files.emplace_back(*thread, it->path().string());
    }
    if (failure) {
        throw Error(ErrorKind::environment, Place{.file = folder.string()},
                    fmt::format("cannot be listed: {}", failure.message()),
                    "check the permissions of the folder");
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Reads a database; the activity, where there is one, counts the bytes of the files of values.
void read_database(Input& experiment, Sink& sink, Activity* activity) {
    HpctoolkitReader reader(experiment, sink);
    for (const ValuesFile& file : values_beside(experiment.name())) {
        experiment.poll();
        Input values(file.second);
        if (activity != nullptr) values.count_for(*activity);
        reader.read_values(values, file.first);
    }
    reader.finish();
}

}  // namespace

std::optional<HpctoolkitThread> hpctoolkit_thread(std::string_view file) {
    if (!file.ends_with(values_ending)) return std::nullopt;
    file.remove_suffix(values_ending.size());
    // program-rank-thread-host-process-generation
    const auto pieces = split(file, '-');
    if (pieces.size() < 6) return std::nullopt;
    const auto rank = parse_whole(pieces[pieces.size() - 5]);
    const auto thread = parse_whole(pieces[pieces.size() - 4]);
    if (!rank || !thread || *rank < 0 || *rank > largest_rank || *thread < 0) return std::nullopt;
    return HpctoolkitThread{.rank = *rank, .thread = *thread};
}

HpctoolkitReader::HpctoolkitReader(Input& experiment, Sink& sink)
    : experiment_(&experiment), sink_(&sink), tree_(read_hpctoolkit_tree(experiment)) {
    part_.place = {.file = experiment.name()};
    if (!tree_.program.empty()) part_.metadata.emplace("program", tree_.program);
    if (tree_.is_folded) {
        sink_->builder.note(
            part_.place,
            fmt::format("procedures more than {} levels deep count for the one at this level", most_levels));
    }
}

void HpctoolkitReader::add(const HpctoolkitTree::Node& node, HpctoolkitTree::Column& column, double value,
                           std::uint32_t location) {
    if (value == 0.0 || !(column.is_inclusive ? node.has_inclusive : node.has_exclusive)) return;
    HpctoolkitTree::Procedure& procedure = tree_.procedures[node.procedure];
    if (!procedure.region) procedure.region = sink_->builder.region(tree_.path(node.procedure));
    if (!column.metric) column.metric = sink_->metric(column.name, column.unit);
    part_.add(*procedure.region, *column.metric, column.factor * value, location);
}

void HpctoolkitReader::read_values(Input& input, const HpctoolkitThread& thread) {
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorKind::input, Place{.file = input.name()}, what, hpctoolkit_hint);
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
    for (const HpctoolkitTree::Column& column : tree_.columns) {
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
    auto node = tree_.nodes.begin();
    for (std::uint64_t id = 1; id <= nodes; ++id) {
        constexpr std::uint64_t nodes_between_polls = 1U << 12U;
        if (id % nodes_between_polls == 0) experiment_->poll();
        const std::string_view row = input.take(row_size);
        if (row.size() < row_size) fail(fmt::format("ends in node {} of {}", id, nodes));
        while (node != tree_.nodes.end() && node->id < id) ++node;
        for (; node != tree_.nodes.end() && node->id == id; ++node) {
            for (HpctoolkitTree::Column& column : tree_.columns) {
                const auto value =
                    std::bit_cast<double>(whole(row.substr(std::size_t{8} * column.id, 8), order));
                if (!std::isfinite(value)) fail(fmt::format("a value of node {} is not finite", id));
                add(*node, column, value, location);
            }
        }
    }
}

void HpctoolkitReader::count_processes() {
    std::sort(ranks_.begin(), ranks_.end());
    const auto there = std::unique(ranks_.begin(), ranks_.end()) - ranks_.begin();
    part_.processes = ranks_[static_cast<std::size_t>(there) - 1] + 1;
    if (there < *part_.processes) {
        sink_->builder.note(part_.place,
                            fmt::format("{} of {} processes are there", there, *part_.processes));
    }
}

void HpctoolkitReader::finish() {
    if (threads_ == 0) {
        if (!tree_.columns.empty() && !tree_.sums.empty()) {
            sink_->builder.note(
                part_.place,
                "no files *.metric-db stand beside it, so that values are those of all threads together");
        }
        for (const HpctoolkitTree::Sum& sum : tree_.sums)
            add(sum.node, tree_.summed_columns[sum.column], sum.value, 0);
    } else {
        count_processes();
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

void read_hpctoolkit(Input& input, Sink& sink) { read_database(input, sink, nullptr); }

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
    read_database(input, sink, &activity);
}

}  // namespace plimsoll::profile::detail
