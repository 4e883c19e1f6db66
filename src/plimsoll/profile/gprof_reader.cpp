#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view flat_mark = "Flat profile:";
constexpr std::string_view graph_mark = "Call graph";

/// A row of either table.
struct Row {
    std::string name;
    double time = 0.0;  ///< in the function alone, s
    double below = 0.0;
    std::optional<double> calls;
};

std::string_view take_word(std::string_view& text) {
    text = trim(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    return word;
}

/// Numbers at the beginning of a row, at most so many.
std::vector<double> take_numbers(std::string_view& text, std::size_t most) {
    std::vector<double> numbers;
    while (numbers.size() < most) {
        std::string_view rest = text;
        const auto number = parse_number(take_word(rest));
        if (!number || !std::isfinite(*number)) break;
        numbers.push_back(*number);
        text = rest;
    }
    return numbers;
}

/// A row of the flat profile: share, sum so far, self; where calls were counted, calls, self and total of
/// one; and the name.
std::optional<Row> flat_row(std::string_view line) {
    Row row;
    std::string_view rest = line;
    const auto times = take_numbers(rest, 3);
    if (times.size() < 3) return std::nullopt;
    row.time = times[2];
    std::string_view behind = rest;
    const auto calls = take_numbers(behind, 3);
    if (calls.size() == 3) {
        row.calls = calls[0];
        rest = behind;
    }
    row.name = trim(rest);
    return row.name.empty() ? std::nullopt : std::optional(row);
}

/// The name without " [7]" at its end.
std::string_view without_index(std::string_view name) {
    name = trim(name);
    const std::size_t open = name.rfind(" [");
    return name.ends_with(']') && open != std::string_view::npos ? trim(name.substr(0, open)) : name;
}

/// A function's own line in the call graph: [index], share, self, below it, calls with those by itself behind
/// a plus, and the name.
std::optional<Row> graph_row(std::string_view line) {
    Row row;
    std::string_view rest = line;
    (void)take_word(rest);
    const auto times = take_numbers(rest, 3);
    if (times.size() < 3) return std::nullopt;
    row.time = times[1];
    row.below = times[2];
    std::string_view behind = rest;
    const std::string_view calls = take_word(behind);
    const std::size_t plus = std::min(calls.find('+'), calls.size());
    if (const auto number = parse_whole(calls.substr(0, plus))) {
        const auto by_itself = parse_whole(calls.substr(std::min(calls.size(), plus + 1)));
        row.calls = static_cast<double>(*number) + static_cast<double>(by_itself.value_or(0));
        rest = behind;
    }
    std::string_view name = without_index(rest);
    // Of functions that call each other, gprof tells the cycle.
    if (const std::size_t cycle = name.rfind(" <cycle ");
        cycle != std::string_view::npos && name.ends_with('>'))
        name = trim(name.substr(0, cycle));
    row.name = name;
    return row.name.empty() ? std::nullopt : std::optional(row);
}

class Reader {
  public:
    Reader(Input& input, Sink& sink) : lines_(input, longest_line), sink_(&sink) {}

    void read() {
        enum class Section { none, flat_title, flat, graph_title, graph };
        Section section = Section::none;
        std::string_view line;
        bool is_open = false;  // an entry of the graph, or the graph before its first
        const char* const again = "let gprof write the file again";
        while (lines_.next(line)) {
            if (!lines_.is_whole()) fail("the file ends within a line", again);
            const std::string_view text = trim(line);
            if (text.starts_with(flat_mark)) {
                section = Section::flat_title;
            } else if (text.starts_with(graph_mark)) {
                section = Section::graph_title;
                is_open = true;
            } else if (section == Section::flat_title && text.starts_with("time ")) {
                section = Section::flat;
            } else if (section == Section::graph_title && text.starts_with("index ")) {
                section = Section::graph;
            } else if (text.empty() && section == Section::graph && is_open) {
                break;
            } else if (text.empty() && (section == Section::flat || section == Section::graph)) {
                section = Section::none;  // an explanation follows
            } else if (section == Section::flat) {
                flat_.push_back(row(flat_row(text)));
            } else if (section == Section::graph) {
                is_open = !text.starts_with("---");
                if (text.starts_with('[') && !is_cycle(text)) graph_.push_back(row(graph_row(text)));
            }
        }
        if (is_open) fail("the call graph ends too early", again);
        deliver();
    }

  private:
    /// A line of all functions of a cycle together, each of which has its own.
    static bool is_cycle(std::string_view text) {
        return text.find("<cycle ") != std::string_view::npos &&
               text.find(" as a whole>") != std::string_view::npos;
    }

    [[noreturn]] void fail(const char* what, const char* hint) const {
        throw Error(ErrorKind::input, Place{.file = lines_.file(), .line = lines_.number()}, what, hint);
    }

    Row row(std::optional<Row> found) const {
        if (!found)
            fail("the row has no times and no name", "write it again, with gprof PROGRAM gmon.out > FILE");
        return *found;
    }

    void deliver() {
        Part part;
        part.place = {.file = lines_.file()};
        const experiment::MetricId time = sink_->metric("time", "s");
        const experiment::MetricId visits = sink_->metric("visits", "");
        // The flat profile has the time, where both are there. It counts no calls of a function by itself.
        for (const Row& row : flat_.empty() ? graph_ : flat_)
            part.add(sink_->builder.region(row.name), time, row.time);
        std::set<std::string_view> in_graph;
        for (const Row& row : graph_) {
            in_graph.insert(row.name);
            if (row.calls) part.add(sink_->builder.region(row.name), visits, *row.calls);
        }
        for (const Row& row : flat_) {
            if (row.calls && !in_graph.contains(row.name))
                part.add(sink_->builder.region(row.name), visits, *row.calls);
        }
        for (const Row& row : graph_) {
            const experiment::RegionId region = sink_->builder.region(row.name);
            part.add(region, time, 0.0);  // what only calls others is in the graph alone
            part.add(region, sink_->metric("time.inclusive", "s"), row.time + row.below);
        }
        sink_->parts.push_back(std::move(part));
    }

    LineReader lines_;
    Sink* sink_;
    std::vector<Row> flat_;
    std::vector<Row> graph_;
};

}  // namespace

bool is_gprof(const experiment::Probe& probe) {
    const std::string_view text = trim(probe.head);
    if (text.starts_with(flat_mark)) return true;
    return text.starts_with(graph_mark) &&
           text.find("granularity: each sample hit covers") != std::string_view::npos;
}

void read_gprof(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
