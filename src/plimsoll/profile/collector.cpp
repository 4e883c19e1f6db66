#include "plimsoll/profile/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/run.hpp"
#include "plimsoll/profile/detail/warm_up.hpp"
#include "plimsoll/profile/format.hpp"

namespace plimsoll::profile {

namespace {

using experiment::ExperimentBuilder;

/// Metadata that says how large a run was, as programs usually name it.
constexpr std::array<std::string_view, 14> usual_sizes{
    "problem_size", "problemsize",     "ProblemSize",     "ProblemSizeRunParam",
    "size",         "matrix_size",     "mesh_size",       "num_threads",
    "threads",      "omp_num_threads", "OMP_NUM_THREADS", "batch_size",
    "numCpus",      "numGpus"};

constexpr std::string_view processes_origin = "the number of processes";

using detail::Numbers;
using detail::processes_name;
using detail::Run;

/// A number among the metadata of a part, for --set n={key}.
double metadata_number(const Part& part, const std::string& parameter, const std::string& key) {
    const auto entry = part.metadata.find(key);
    if (entry != part.metadata.end()) {
        if (const auto number = parse_number(entry->second); number && std::isfinite(*number)) return *number;
    }
    std::vector<std::string> numeric;
    for (const auto& [name, text] : part.metadata) {
        if (parse_number(text)) numeric.push_back(name);
    }
    const auto near = nearest(key, numeric);
    throw Error(ErrorKind::input, part.place,
                fmt::format("--set {}={{{}}}: the file names no number '{}'", parameter, key, key),
                near              ? fmt::format("did you mean '{}'?", *near)
                : numeric.empty() ? "it names no number at all; see --path-pattern"
                                  : fmt::format("it names {}", join(numeric, ", ")));
}

const ProfileFormat& format_named(std::string_view name) {
    const auto table = formats();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const ProfileFormat& f) { return f.name == name; });
    PLIMSOLL_EXPECT(found != table.end());
    return *found;
}

}  // namespace

Collector::Collector(const ProfileOptions& options) : steps_(options.steps) {
    if (!options.path_pattern.empty()) pattern_.emplace(options.path_pattern);
    for (const std::string_view piece : split(options.set, ',')) {
        if (trim(piece).empty()) continue;
        const std::size_t equals = piece.find('=');
        const std::string name(trim(piece.substr(0, std::min(equals, piece.size()))));
        if (equals == std::string_view::npos || name.empty()) {
            throw Error(ErrorKind::usage, fmt::format("--set: '{}' is not of the form name=value", piece),
                        "write, say, --set p=4 or --set n={problem_size}");
        }
        const std::string value(trim(piece.substr(equals + 1)));
        const bool is_name = value.starts_with('{') && value.ends_with('}') && value.size() > 2;
        const auto number = parse_number(value);
        if (!is_name && (!number || !std::isfinite(*number))) {
            throw Error(ErrorKind::usage,
                        fmt::format("--set: '{}' is neither a number nor a name in braces", value),
                        "write, say, --set p=4 or --set n={problem_size}");
        }
        assignments_.push_back({.name = name, .value = value});
    }
}

std::vector<std::string> Collector::names() const {
    std::vector<std::string> names;
    for (const ProfileFormat& format : formats()) names.emplace_back(format.name);
    return names;
}

std::string_view Collector::match(const experiment::Probe& probe) const {
    for (const ProfileFormat& format : formats()) {
        if (format.matches(probe)) return format.name;
    }
    return {};
}

template <class Read>
void Collector::take_parts(const std::string& name, ExperimentBuilder& builder, Read read_into) {
    detail::Sink sink{.builder = builder, .parts = parts_, .steps = steps_};
    const std::size_t before = parts_.size();
    read_into(sink);
    const auto first_new = parts_.begin() + static_cast<std::ptrdiff_t>(before);
    parts_.erase(
        std::remove_if(first_new, parts_.end(), [](const Part& part) { return part.values().empty(); }),
        parts_.end());
    for (std::size_t i = before; i < parts_.size(); ++i) {
        if (parts_[i].place.file.empty()) parts_[i].place.file = name;
    }
    if (parts_.size() == before && !sink.is_left_out) {
        throw Error(ErrorKind::input, Place{.file = name}, "holds no measurements",
                    "check that the profiler has written its results");
    }
    drop_known_runs(before, builder);
}

void Collector::drop_known_runs(std::size_t first, ExperimentBuilder& builder) {
    std::size_t kept = first;
    for (std::size_t i = first; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        if (!part.identity.empty()) {
            const auto [begin, end] = identified_.equal_range(part.identity);
            const auto same = std::find_if(begin, end, [&](const auto& entry) {
                const Part& other = parts_[entry.second];
                return other.place.file != part.place.file && other.values() == part.values();
            });
            if (same != end) {
                builder.note(part.place, fmt::format("job {} is left out: {} tells of it too", part.identity,
                                                     parts_[same->second].place.file));
                continue;
            }
            identified_.emplace(part.identity, kept);
        }
        if (kept != i) parts_[kept] = std::move(part);
        ++kept;
    }
    parts_.resize(kept);
}

void Collector::read(std::string_view format, Input& input, ExperimentBuilder& builder) {
    const ProfileFormat& found = format_named(format);
    take_parts(input.name(), builder, [&](detail::Sink& sink) { found.read(input, sink); });
}

std::string_view Collector::match_folder(const std::string& path) const {
    for (const ProfileFormat& format : formats()) {
        if (format.matches_folder != nullptr && format.matches_folder(path)) return format.name;
    }
    return {};
}

bool Collector::yields_to_cube(std::string_view format) const {
    // What the user says of configurations does not reach the reader of Cube.
    return format_named(format).yields_to_cube && assignments_.empty() && !pattern_;
}

void Collector::read_folder(std::string_view format, const std::string& path, ExperimentBuilder& builder,
                            Activity& activity) {
    const ProfileFormat& found = format_named(format);
    PLIMSOLL_EXPECT(found.read_folder != nullptr);
    take_parts(path, builder, [&](detail::Sink& sink) { found.read_folder(path, sink, activity); });
}

void Collector::put(std::vector<std::pair<std::string, double>>& list, std::string_view name, double value,
                    std::string_view origin) {
    detail::put(list, name, value);
    origins_.try_emplace(std::string(name), origin);
}

void Collector::complete(Part& part, Facts& facts) {
    for (const Assignment& assignment : assignments_) {
        if (const auto number = parse_number(assignment.value)) {
            put(facts.stated, assignment.name, *number, "--set");
        } else {
            const std::string key = assignment.value.substr(1, assignment.value.size() - 2);
            put(facts.stated, assignment.name, metadata_number(part, assignment.name, key),
                fmt::format("--set, from '{}' in the files", key));
        }
    }
    // A rank that the path names tells its run from others in the folder.
    bool is_run_known = false;
    const auto take_rank = [&](const PathFacts& path) {
        if (!path.rank || is_run_known) return;
        is_run_known = true;
        if (!part.rank || part.is_rank_guessed) part.rank = path.rank;
        part.run.insert(0, path.run);
    };
    if (pattern_) {
        const auto path = pattern_->match(part.place.file);
        if (!path) {
            throw Error(ErrorKind::input, part.place,
                        fmt::format("its path does not fit --path-pattern '{}'", pattern_->text()),
                        "write the pattern so that it fits each path, or name the files that it fits");
        }
        for (const auto& [name, value] : path->parameters) put(facts.stated, name, value, "--path-pattern");
        take_rank(*path);
    }
    for (const auto& [name, value] : part.parameters) put(facts.stated, name, value, "stated in the files");
    const PathFacts path = facts_of_name(part.place.file);
    // A pattern that names parameters says all that names shall say.
    if (!pattern_ || !pattern_->names_parameters()) {
        for (const auto& [name, value] : path.parameters)
            put(facts.suggested, name, value, "names of files or folders");
    }
    take_rank(path);
    if (part.rank && !is_run_known)
        part.run.insert(0, std::filesystem::path(part.place.file).parent_path().string() + "/");
    if (part.processes)
        put(facts.suggested, processes_name, static_cast<double>(*part.processes), processes_origin);
    for (const std::string_view name : usual_sizes) {
        const auto entry = part.metadata.find(std::string(name));
        if (entry == part.metadata.end()) continue;
        if (const auto number = parse_number(entry->second); number && std::isfinite(*number))
            put(facts.suggested, name, *number, fmt::format("'{}' in the files", name));
    }
}

void Collector::finish(ExperimentBuilder& builder) {
    if (parts_.empty()) return;
    std::vector<Run> runs;
    using Key = std::tuple<std::string, Numbers, Numbers, std::string, std::int64_t>;  // the last two: step
    std::map<Key, std::vector<std::size_t>> known;
    for (Part& part : parts_) {
        Facts facts;
        complete(part, facts);
        if (part.rank) {
            // A process that a run has already is that of a further run.
            const Part::Step step = part.step.value_or(Part::Step{.kind = "none"});
            std::vector<std::size_t>& same =
                known[{part.run, facts.stated, facts.suggested, step.kind, step.number}];
            const auto found = std::find_if(same.begin(), same.end(),
                                            [&](std::size_t run) { return !runs[run].has_process(part); });
            if (found != same.end()) {
                runs[*found].add(part);
                continue;
            }
            same.push_back(runs.size());
        }
        runs.push_back({.stated = std::move(facts.stated), .suggested = std::move(facts.suggested)});
        runs.back().add(part);
    }
    for (Run& run : runs) {
        std::stable_sort(run.parts.begin(), run.parts.end(), [](const Part* a, const Part* b) {
            return std::tie(a->rank, a->thread) < std::tie(b->rank, b->thread);
        });
    }
    detail::count_processes(runs, builder);
    for (Run& run : runs) {
        if (!run.parts.front()->rank) continue;
        const double* const named = run.value(processes_name);
        if (run.parts.front()->processes && named != nullptr && *named != run.process_count)
            builder.note(run.place(), fmt::format("is of {} processes, and its name or its user says {}={}",
                                                  run.process_count, processes_name, *named));
        put(run.suggested, processes_name, run.process_count, processes_origin);
    }
    detail::drop_warm_up(runs, builder);
    detail::keep_comparable_runs(runs, builder);
    const std::vector<std::string> parameters = detail::choose_parameters(runs, builder);
    builder.set_parameters(parameters, runs.front().place());
    for (const std::string& name : parameters) {
        if (const auto origin = origins_.find(name); origin != origins_.end())
            builder.rest().origins.insert(*origin);
    }
    std::vector<std::vector<double>> points;
    for (const Run& run : runs) {
        // Whether values are inclusive is said of each file, and they must not be mixed.
        if (run.parts.front()->is_inclusive) builder.state_inclusive();
        std::vector<double>& coordinates = points.emplace_back();
        for (const std::string& name : parameters) coordinates.push_back(*run.value(name));
        detail::deliver(run, builder.point(coordinates, run.place()), builder);
        builder.finish_file(run.place().file);
    }
    detail::note_differences(runs, points, builder);
    // What all runs say alike is said of the experiment.
    for (const auto& fact : parts_.front().metadata) {
        const bool same = std::all_of(parts_.begin(), parts_.end(), [&fact](const Part& part) {
            const auto entry = part.metadata.find(fact.first);
            return entry != part.metadata.end() && entry->second == fact.second;
        });
        if (same) builder.rest().metadata.emplace(fact.first, json_quote(fact.second));
    }
    parts_.clear();
    identified_.clear();
    origins_.clear();
}

}  // namespace plimsoll::profile
