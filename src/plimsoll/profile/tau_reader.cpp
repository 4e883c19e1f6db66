#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view mark = " templated_functions";
constexpr std::string_view separator = " => ";
constexpr double micro = 1e-6;

struct Row {
    std::string path;
    bool is_path = false;  ///< names its callers too
    double calls = 0.0;
    double exclusive = 0.0;
    double inclusive = 0.0;
};

/// "A  => B => C", each without the blanks around it.
std::vector<std::string_view> levels_of(std::string_view name) {
    std::vector<std::string_view> levels;
    for (std::size_t at = name.find(separator); at != std::string_view::npos; at = name.find(separator)) {
        levels.push_back(trim(name.substr(0, at)));
        name.remove_prefix(at + separator.size());
    }
    levels.push_back(trim(name));
    return levels;
}

/// Metadata stands in the comment of the second line, as XML in one piece.
void keep_metadata(std::string_view line, Part& part) {
    constexpr std::string_view begin = "<name>";
    constexpr std::string_view middle = "</name><value>";
    constexpr std::string_view end = "</value>";
    for (std::size_t at = line.find(begin); at != std::string_view::npos; at = line.find(begin, at)) {
        at += begin.size();
        const std::size_t divide = line.find(middle, at);
        const std::size_t close = divide == std::string_view::npos ? divide : line.find(end, divide);
        if (close == std::string_view::npos) return;
        const std::size_t value = divide + middle.size();
        part.metadata.emplace(line.substr(at, divide - at), line.substr(value, close - value));
        at = close;
    }
}

/// Process and thread of "profile.3.0.1": node, context and thread.
std::optional<std::pair<std::int64_t, std::int64_t>> process_of(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    const auto pieces = split(name, '.');
    if (pieces.size() != 4 || pieces[0] != "profile") return std::nullopt;
    std::array<std::int32_t, 3> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::string_view piece = pieces[i + 1];
        const auto [end, failure] = std::from_chars(piece.data(), piece.data() + piece.size(), numbers[i]);
        if (failure != std::errc() || end != piece.data() + piece.size()) return std::nullopt;
    }
    constexpr std::int64_t threads_of_a_context = std::int64_t{1} << 31U;
    return std::pair<std::int64_t, std::int64_t>(numbers[0], threads_of_a_context * numbers[1] + numbers[2]);
}

}  // namespace

bool is_tau(const experiment::Probe& probe) {
    const std::string_view line = probe.head.substr(0, probe.head.find('\n'));
    const std::size_t at = line.find(mark);
    return at != std::string_view::npos && at > 0 &&
           line.substr(0, at).find_first_not_of("0123456789") == std::string_view::npos;
}

void read_tau(Input& input, Sink& sink) {
    LineReader lines(input);
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorKind::input, Place{.file = lines.file(), .line = lines.number()}, what,
                    "write the profile again; a program that was killed leaves a part of it");
    };
    std::string_view line;
    const auto next = [&] {
        const bool is_there = lines.next(line);
        if (is_there && !lines.is_whole()) fail("the file ends within a line");
        return is_there;
    };
    (void)next();
    const std::size_t at = line.find(mark);
    std::uint64_t functions = 0;
    if (at == std::string_view::npos ||
        std::from_chars(line.data(), line.data() + at, functions).ptr != line.data() + at)
        fail("the first line is not '... templated_functions'");
    const std::string_view suffix = trim(line.substr(at + mark.size()));
    constexpr std::string_view multi = "_MULTI_";
    const std::string counter(suffix.starts_with(multi) ? suffix.substr(multi.size()) : "TIME");
    const bool is_time = counter == "TIME" || counter == "GET_TIME_OF_DAY" || counter == "CPU_TIME" ||
                         counter == "P_WALL_CLOCK_TIME";
    Part part;
    part.place = {.file = lines.file()};
    std::vector<Row> rows;
    std::set<std::string> callers;
    while (rows.size() < functions) {
        if (!next()) fail(fmt::format("there are {} functions of {}", rows.size(), functions));
        if (line.starts_with('#')) {
            keep_metadata(line, part);
            continue;
        }
        const std::size_t close = line.rfind("\" ", line.find(" GROUP="));
        if (!line.starts_with('"') || close == std::string_view::npos || close == 0)
            fail("a function's name is not in quotation marks");
        const auto levels = levels_of(line.substr(1, close - 1));
        Row row{.is_path = levels.size() > 1};
        for (const std::string_view level : levels)
            row.path = row.path.empty() ? std::string(level) : experiment::path_below(row.path, level);
        if (row.is_path) callers.emplace(levels.front());
        // name calls subroutines exclusive inclusive ...
        std::vector<double> numbers;
        for (const std::string_view word : split(trim(line.substr(close + 2)), ' ')) {
            const auto number = parse_number(word);
            if (!number) break;
            numbers.push_back(*number);
        }
        if (numbers.size() < 4) fail("a function has no calls, subroutines, exclusive and inclusive value");
        row.calls = numbers[0];
        row.exclusive = numbers[2];
        row.inclusive = numbers[3];
        rows.push_back(std::move(row));
    }
    while (next()) {
        // "12 userevents": what the program counted by itself.
        constexpr std::string_view events = " userevents";
        const std::size_t end = line.find(events);
        std::uint64_t count = 0;
        if (end == std::string_view::npos ||
            std::from_chars(line.data(), line.data() + end, count).ptr != line.data() + end || count == 0)
            continue;
        sink.builder.detail(part.place, fmt::format("left out: {}", counted(count, "user event")));
        break;
    }
    // Where callers are named, the flat profile says the same once more, but for the outermost.
    const double factor = is_time ? micro : 1.0;
    const std::string name = is_time ? "time" : counter;
    const experiment::MetricId exclusive = sink.metric(name, is_time ? "s" : "");
    const experiment::MetricId inclusive = sink.metric(name + ".inclusive", is_time ? "s" : "");
    const experiment::MetricId visits = sink.metric("visits", "");
    for (const Row& row : rows) {
        if (!callers.empty() && !row.is_path && !callers.contains(row.path)) continue;
        const experiment::RegionId region = sink.builder.region(row.path);
        part.add(region, exclusive, factor * row.exclusive);
        part.add(region, inclusive, factor * row.inclusive);
        part.add(region, visits, row.calls);
    }
    if (const auto process = process_of(lines.file())) {
        part.rank = process->first;
        part.thread = process->second;
    }
    if (!part.values().empty()) sink.parts.push_back(std::move(part));
}

}  // namespace plimsoll::profile::detail
