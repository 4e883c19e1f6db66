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

/// The number of processes, as `p`.
constexpr std::string_view processes_name = "p";
constexpr std::string_view processes_origin = "the number of processes";

using Numbers = std::vector<std::pair<std::string, double>>;

const double* find(const Numbers& list, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.first == name; });
    return found == list.end() ? nullptr : &found->second;
}

void put(Numbers& list, std::string_view name, double value) {
    if (find(list, name) == nullptr) list.emplace_back(name, value);
}

/// A run: its parts, which are processes of it.
struct Run {
    std::vector<const Part*> parts{};
    Numbers stated;                                               ///< parameters that somebody names as such
    Numbers suggested;                                            ///< what may be parameters
    std::set<std::pair<std::int64_t, std::int64_t>> processes{};  ///< rank and thread of each part

    void add(const Part& part) {
        parts.push_back(&part);
        processes.emplace(part.rank.value_or(0), part.thread);
    }
    [[nodiscard]] bool has_process(const Part& part) const {
        return processes.contains({part.rank.value_or(0), part.thread});
    }

    [[nodiscard]] const double* value(std::string_view name) const {
        const double* const value = find(stated, name);
        return value != nullptr ? value : find(suggested, name);
    }
    [[nodiscard]] const Place& place() const { return parts.front()->place; }
};

/// Names in order of their first occurrence.
std::vector<std::string> names_of(const std::vector<Run>& runs, Numbers Run::*list) {
    std::vector<std::string> names;
    std::set<std::string> known;
    for (const Run& run : runs) {
        for (const auto& [name, value] : run.*list) {
            if (known.insert(name).second) names.push_back(name);
        }
    }
    return names;
}

/// The value of a parameter in each run; fewer where one has none.
std::vector<double> values_of(const std::vector<Run>& runs, std::string_view name) {
    std::vector<double> values;
    for (const Run& run : runs) {
        if (const double* const value = run.value(name)) values.push_back(*value);
    }
    return values;
}

bool is_constant(const std::vector<double>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// Whether two parameters tell the runs apart in the same way.
bool vary_together(const std::vector<double>& a, const std::vector<double>& b) {
    std::map<double, double> other;
    std::set<double> seen;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto [found, is_new] = other.try_emplace(a[i], b[i]);
        if (found->second != b[i] || (is_new && !seen.insert(b[i]).second)) return false;
    }
    return true;
}

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

/// The number of processes of a run, of which some may be missing; each may have several parts.
double process_count(const Run& run, ExperimentBuilder& builder) {
    std::set<std::int64_t> ranks;
    for (const Part* const part : run.parts) ranks.insert(part->rank.value_or(0));
    const auto found = static_cast<std::int64_t>(ranks.size());
    const bool has_gaps = *ranks.rbegin() - *ranks.begin() + 1 > found || *ranks.begin() > 1;
    const std::int64_t all = run.parts.front()->processes.value_or(has_gaps ? *ranks.rbegin() + 1 : found);
    if (found < all) builder.note(run.place(), fmt::format("{} of {} processes are there", found, all));
    return static_cast<double>(all);
}

/// Leaves only runs of which the same parameters are stated: the largest group of such runs.
void keep_comparable_runs(std::vector<Run>& runs, ExperimentBuilder& builder) {
    std::map<std::set<std::string>, std::size_t> sizes;
    const auto kind = [](const Run& run) {
        std::set<std::string> names;
        for (const auto& [name, value] : run.stated) names.insert(name);
        return names;
    };
    for (const Run& run : runs) ++sizes[kind(run)];
    if (sizes.size() <= 1) return;
    const auto largest = std::max_element(sizes.begin(), sizes.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::vector<std::string> names(largest->first.begin(), largest->first.end());
    std::erase_if(runs, [&](const Run& run) {
        if (kind(run) == largest->first) return false;
        const experiment::RegionId region = run.parts.front()->values().front().region;
        builder.note(run.place(),
                     fmt::format("'{}' is left out: its parameters are not {}, as those of other runs",
                                 builder.rest().regions[experiment::index(region)].path,
                                 names.empty() ? "none" : join(names, ", ")));
        return true;
    });
}

/// The names of the parameters: what is stated, and of what is suggested that which varies by itself.
std::vector<std::string> choose_parameters(std::vector<Run>& runs, ExperimentBuilder& builder) {
    std::vector<std::string> parameters = names_of(runs, &Run::stated);
    const std::vector<std::string> suggested = names_of(runs, &Run::suggested);
    std::vector<std::string> known_of_some;
    for (const std::string& name : suggested) {
        if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) continue;
        const auto values = values_of(runs, name);
        if (values.size() != runs.size()) {
            known_of_some.push_back(fmt::format("'{}' is known of {} of {} runs alone, and is no parameter",
                                                name, values.size(), runs.size()));
            continue;
        }
        if (is_constant(values)) continue;
        const auto same = std::find_if(parameters.begin(), parameters.end(), [&](const std::string& earlier) {
            return vary_together(values_of(runs, earlier), values);
        });
        if (same != parameters.end()) {
            builder.note({}, fmt::format("'{}' varies together with '{}', and is left out", name, *same));
            continue;
        }
        parameters.push_back(name);
    }
    const auto note_others = [&] {
        for (std::string& text : known_of_some) builder.note({}, std::move(text));
    };
    if (!parameters.empty()) {
        note_others();
        return parameters;
    }
    for (const std::string& name : suggested) {
        // A few strangers must not make repetitions of all others.
        const auto values = values_of(runs, name);
        if (2 * values.size() <= runs.size() || values.size() == runs.size() || is_constant(values)) continue;
        std::erase_if(runs, [&](const Run& run) {
            if (run.value(name) != nullptr) return false;
            builder.note(run.place(), fmt::format("is left out: nothing says its {}", name));
            return true;
        });
        return choose_parameters(runs, builder);
    }
    note_others();
    for (const std::string& name : suggested) {
        if (values_of(runs, name).size() == runs.size()) return {name};
    }
    for (Run& run : runs) put(run.stated, processes_name, 1.0);
    builder.note(runs.front().place(),
                 "nothing says how large the run was, so p = 1 stands for it; give --set or --path-pattern");
    return {std::string(processes_name)};
}

/// The processes and threads of a part that are there, which need not be numbered without gaps.
std::vector<std::uint32_t> locations_in(const Part& part) {
    std::vector<std::uint32_t> locations;
    for (const Part::Value& value : part.values()) {
        if (locations.empty() || locations.back() != value.location) locations.push_back(value.location);
    }
    std::sort(locations.begin(), locations.end());
    locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
    return locations;
}

/// Says in what runs of the same point differ, where that is not by chance: in a few texts that come again.
void note_differences(const std::vector<Run>& runs, const std::vector<std::vector<double>>& points,
                      ExperimentBuilder& builder) {
    std::map<std::string, std::set<std::string>> texts;  // of each key
    std::map<std::string, std::size_t> counts;
    std::set<std::string> varying;
    std::map<std::vector<double>, const Run*> first_of;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Run* const first = first_of.try_emplace(points[i], &runs[i]).first->second;
        for (const auto& [key, text] : runs[i].parts.front()->metadata) {
            texts[key].insert(text);
            ++counts[key];
            const auto other = first->parts.front()->metadata.find(key);
            if (other != first->parts.front()->metadata.end() && other->second != text) varying.insert(key);
        }
    }
    std::vector<std::string> names;
    constexpr std::size_t most_names = 5;
    for (const std::string& key : varying) {
        if (2 * texts[key].size() <= counts[key] && names.size() < most_names) names.push_back(key);
    }
    if (names.empty()) return;
    builder.note(
        {},
        fmt::format("runs that count as repetitions differ in {}: read them apart, or make a parameter of "
                    "a number with --set",
                    join(names, ", ")));
}

/// Hands the values of a run to the builder. What a process has not called took it no time.
void deliver(const Run& run, experiment::PointId point, ExperimentBuilder& builder) {
    std::vector<std::vector<std::uint32_t>> locations_of;
    std::size_t locations = 0;
    for (const Part* const part : run.parts) {
        locations_of.push_back(locations_in(*part));
        locations += locations_of.back().size();
    }
    std::vector<std::pair<experiment::SeriesId, std::vector<double>>> rows;
    std::map<experiment::SeriesId, std::size_t> row_of;
    std::size_t first_location = 0;
    for (std::size_t i = 0; i < run.parts.size(); ++i) {
        const std::vector<std::uint32_t>& known = locations_of[i];
        for (const Part::Value& value : run.parts[i]->values()) {
            const experiment::SeriesId series = builder.series(value.region, value.metric);
            const auto [found, is_new] = row_of.try_emplace(series, rows.size());
            if (is_new) rows.emplace_back(series, std::vector<double>(locations));
            const auto place = std::lower_bound(known.begin(), known.end(), value.location) - known.begin();
            rows[found->second].second[first_location + static_cast<std::size_t>(place)] = value.value;
        }
        first_location += known.size();
    }
    for (const auto& [series, values] : rows) {
        if (locations == 1)
            builder.add_repetitions(series, point, values, run.place());
        else
            builder.add_repetition(series, point, values, run.place());
    }
}

const ProfileFormat& format_named(std::string_view name) {
    const auto table = formats();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const ProfileFormat& f) { return f.name == name; });
    PLIMSOLL_EXPECT(found != table.end());
    return *found;
}

}  // namespace

Collector::Collector(const ProfileOptions& options) {
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
    detail::Sink sink{.builder = builder, .parts = parts_};
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
    // Score-P leaves both; what the user says of configurations does not reach the reader of Cube.
    return format == "otf2" && assignments_.empty() && !pattern_;
}

void Collector::read_folder(std::string_view format, const std::string& path, ExperimentBuilder& builder,
                            Activity& activity) {
    const ProfileFormat& found = format_named(format);
    PLIMSOLL_EXPECT(found.read_folder != nullptr);
    take_parts(path, builder, [&](detail::Sink& sink) { found.read_folder(path, sink, activity); });
}

void Collector::put(std::vector<std::pair<std::string, double>>& list, std::string_view name, double value,
                    std::string_view origin) {
    profile::put(list, name, value);
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
    std::map<std::tuple<std::string, Numbers, Numbers>, std::vector<std::size_t>> known;
    for (Part& part : parts_) {
        Facts facts;
        complete(part, facts);
        if (part.rank) {
            // A process that a run has already is that of a further run.
            std::vector<std::size_t>& same = known[{part.run, facts.stated, facts.suggested}];
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
        if (!run.parts.front()->rank) continue;
        put(run.suggested, processes_name, process_count(run, builder), processes_origin);
        std::stable_sort(run.parts.begin(), run.parts.end(), [](const Part* a, const Part* b) {
            return std::tie(a->rank, a->thread) < std::tie(b->rank, b->thread);
        });
    }
    keep_comparable_runs(runs, builder);
    const std::vector<std::string> parameters = choose_parameters(runs, builder);
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
        deliver(run, builder.point(coordinates, run.place()), builder);
        builder.finish_file(run.place().file);
    }
    note_differences(runs, points, builder);
    // What all runs say alike is said of the experiment.
    for (const auto& fact : parts_.front().metadata) {
        const bool same = std::all_of(parts_.begin(), parts_.end(), [&fact](const Part& part) {
            const auto entry = part.metadata.find(fact.first);
            return entry != part.metadata.end() && entry->second == fact.second;
        });
        if (same) builder.rest().metadata.emplace(fact.first, json_quote(fact.second));
    }
    parts_.clear();
    origins_.clear();
}

}  // namespace plimsoll::profile
