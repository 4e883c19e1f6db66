#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/json_input.hpp"

namespace plimsoll::profile::detail {

namespace {

/// Keys of every benchmark; all other numbers are counters of the user's.
constexpr std::array<std::string_view, 18> own_keys{"name",
                                                    "family_index",
                                                    "per_family_instance_index",
                                                    "run_name",
                                                    "run_type",
                                                    "repetitions",
                                                    "repetition_index",
                                                    "threads",
                                                    "iterations",
                                                    "real_time",
                                                    "cpu_time",
                                                    "time_unit",
                                                    "aggregate_name",
                                                    "aggregate_unit",
                                                    "label",
                                                    "error_occurred",
                                                    "error_message",
                                                    "big_o"};

/// What the library itself adds to a name, which is neither an argument nor part of it.
bool is_setting(std::string_view piece) {
    for (const std::string_view name :
         {"iterations:", "repeats:", "min_time:", "min_warmup_time:", "threads:"}) {
        if (piece.starts_with(name)) return true;
    }
    return piece == "real_time" || piece == "manual_time" || piece == "process_time";
}

std::optional<double> seconds_of(const std::string& unit) {
    if (unit == "ns") return 1e-9;
    if (unit == "us") return 1e-6;
    if (unit == "ms") return 1e-3;
    if (unit == "s") return 1.0;
    return std::nullopt;
}

/// "BM_sort/1024/threads:4" is the region BM_sort with the argument 1024.
struct Name {
    std::string region;
    std::vector<std::pair<std::string, double>> arguments;
};

Name parse(std::string_view text) {
    Name name;
    std::vector<double> unnamed;
    bool first = true;
    for (const std::string_view piece : split(text, '/')) {
        const std::size_t colon = piece.rfind(':');
        const auto number = parse_number(piece);
        const auto named =
            colon == std::string_view::npos ? std::optional<double>() : parse_number(piece.substr(colon + 1));
        if (!first && is_setting(piece)) continue;
        if (!first && number) {
            unnamed.push_back(*number);
        } else if (!first && named && colon > 0) {
            name.arguments.emplace_back(piece.substr(0, colon), *named);
        } else {
            name.region += (first ? "" : "/") + std::string(piece);
        }
        first = false;
    }
    for (std::size_t i = 0; i < unnamed.size(); ++i)
        name.arguments.emplace_back(unnamed.size() == 1 ? "arg" : fmt::format("arg{}", i + 1), unnamed[i]);
    return name;
}

/// Says how many benchmarks have which arguments, where these differ: only benchmarks with the same ones are
/// modelled together. `counts` are of benchmarks, by the names of their arguments.
void note_different_arguments(const std::map<std::string, std::size_t>& counts, const Place& place,
                              Sink& sink) {
    if (counts.size() < 2) return;
    std::vector<std::pair<std::string, std::size_t>> groups(counts.begin(), counts.end());
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    texts.reserve(groups.size());
    for (const auto& [names, count] : groups) {
        texts.push_back(fmt::format("{} {}", counted(count, "benchmark"),
                                    names.empty() ? "without" : fmt::format("with {}", names)));
    }
    sink.builder.note(place,
                      fmt::format("arguments differ: {}; one group is kept, the others are written to a file "
                                  "of their own with --benchmark_filter",
                                  join(texts, ", ")));
}

}  // namespace

bool is_google_benchmark(const experiment::Probe& probe) {
    return has_key(probe, "benchmarks") && has_key(probe, "context");
}

void read_google_benchmark(Input& input, Sink& sink) {
    const nlohmann::json document = read_json(input);
    const Place place{.file = input.name()};
    const auto benchmarks = document.is_object() ? document.find("benchmarks") : document.end();
    if (benchmarks == document.end() || !benchmarks->is_array()) {
        throw Error(ErrorKind::input, place, "holds no list 'benchmarks'",
                    "write it again with --benchmark_out=FILE --benchmark_out_format=json");
    }
    const auto is_aggregate = [](const nlohmann::json& b) { return text_at(b, "run_type") == "aggregate"; };
    // Where only aggregates were reported, the mean is what there is.
    const bool aggregates_only =
        std::all_of(benchmarks->begin(), benchmarks->end(),
                    [&](const nlohmann::json& b) { return b.is_object() && is_aggregate(b); });
    const bool any_threads = std::any_of(benchmarks->begin(), benchmarks->end(), [](const nlohmann::json& b) {
        return number_at(b, "threads").value_or(1.0) > 1.0;
    });
    std::map<std::string, std::set<std::string>> benchmarks_with;  // names, by those of their arguments
    std::size_t position = 0;
    for (const nlohmann::json& benchmark : *benchmarks) {
        ++position;
        if (!benchmark.is_object() || !benchmark.contains("name") || !benchmark["name"].is_string()) {
            throw Error(ErrorKind::input, place, fmt::format("benchmark {} has no name", position),
                        "write the file again");
        }
        if (is_aggregate(benchmark) && !(aggregates_only && text_at(benchmark, "aggregate_name") == "mean"))
            continue;
        const std::string full = text_at(benchmark, "run_name", benchmark["name"].get<std::string>().c_str());
        if (benchmark.contains("error_occurred") && benchmark["error_occurred"] == true) {
            sink.builder.note(place, fmt::format("'{}' failed, and is left out: {}", full,
                                                 text_at(benchmark, "error_message")));
            continue;
        }
        const Name name = parse(full);
        Part& part = sink.parts.emplace_back();
        part.place = place;
        part.parameters = name.arguments;
        if (any_threads)
            part.parameters.emplace_back("threads", number_at(benchmark, "threads").value_or(1.0));
        std::vector<std::string> arguments;
        for (const auto& [argument, value] : part.parameters) arguments.push_back(argument);
        benchmarks_with[join(arguments, " and ")].insert(full);
        const std::string unit_name = text_at(benchmark, "time_unit", "ns");
        const std::optional<double> unit = seconds_of(unit_name);
        if (!unit) {
            throw Error(ErrorKind::input, place,
                        fmt::format("'{}' is in '{}', which is no unit of time", full, unit_name),
                        "write ns, us, ms or s as its time_unit");
        }
        const experiment::RegionId region = sink.builder.region(name.region);
        if (const auto time = number_at(benchmark, "real_time"))
            part.add(region, sink.metric("time", "s"), *unit * *time);
        if (const auto time = number_at(benchmark, "cpu_time"))
            part.add(region, sink.metric("cpu_time", "s"), *unit * *time);
        for (const auto& [key, value] : benchmark.items()) {
            if (!value.is_number() || std::find(own_keys.begin(), own_keys.end(), key) != own_keys.end())
                continue;
            part.add(region, sink.metric(key, ""), value.get<double>());
        }
        const auto context = document.find("context");
        if (context == document.end() || !context->is_object()) continue;
        for (const auto& [key, value] : context->items()) {
            if (value.is_string()) part.metadata.emplace(key, value.get<std::string>());
            if (value.is_number()) part.metadata.emplace(key, value.dump());
        }
    }
    std::map<std::string, std::size_t> counts;
    for (const auto& [arguments, names] : benchmarks_with) counts.emplace(arguments, names.size());
    note_different_arguments(counts, place, sink);
}

}  // namespace plimsoll::profile::detail
