#include "plimsoll/profile/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/format.hpp"

namespace plimsoll::profile {

namespace {

using experiment::ExperimentBuilder;

/// Metadata that says how large a run was, as programs usually name it.
constexpr std::array<std::string_view, 12> usual_sizes{
    "problem_size", "problemsize",     "ProblemSize",     "ProblemSizeRunParam",
    "size",         "matrix_size",     "mesh_size",       "num_threads",
    "threads",      "omp_num_threads", "OMP_NUM_THREADS", "batch_size"};

/// The number of processes, as `p`.
constexpr std::string_view processes_name = "p";

/// A run: its parts, which are processes of it.
struct Run {
    std::vector<std::size_t> parts;
    std::vector<std::pair<std::string, double>> stated;     ///< parameters that somebody names as such
    std::vector<std::pair<std::string, double>> suggested;  ///< what may be parameters
};

const double* find(const std::vector<std::pair<std::string, double>>& list, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.first == name; });
    return found == list.end() ? nullptr : &found->second;
}

void put(std::vector<std::pair<std::string, double>>& list, const std::string& name, double value) {
    if (find(list, name) == nullptr) list.emplace_back(name, value);
}

/// Names in order of their first occurrence.
std::vector<std::string> names_of(const std::vector<Run>& runs,
                                  std::vector<std::pair<std::string, double>> Run::*list) {
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
std::vector<double> values_of(const std::vector<Run>& runs, const std::string& name) {
    std::vector<double> values;
    for (const Run& run : runs) {
        const double* const stated = find(run.stated, name);
        const double* const value = stated != nullptr ? stated : find(run.suggested, name);
        if (value != nullptr) values.push_back(*value);
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

void Collector::read(std::string_view format, Input& input, ExperimentBuilder& builder) {
    const auto table = formats();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const ProfileFormat& f) { return f.name == format; });
    PLIMSOLL_EXPECT(found != table.end());
    detail::Sink sink{.builder = builder, .parts = parts_};
    const std::size_t before = parts_.size();
    found->read(input, sink);
    for (std::size_t i = before; i < parts_.size(); ++i) {
        if (parts_[i].place.file.empty()) parts_[i].place.file = input.name();
    }
    if (parts_.size() == before) {
        throw Error(ErrorKind::input, Place{.file = input.name()}, "holds no measurements",
                    "check that the profiler has written its results");
    }
}

void Collector::finish(ExperimentBuilder& builder) {
    if (parts_.empty()) return;
    // What each part says, and which parts are one run.
    std::vector<Run> runs;
    std::map<std::pair<std::string, std::vector<std::pair<std::string, double>>>, std::size_t> known;
    std::vector<std::size_t> order(parts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (const std::size_t i : order) {
        Part& part = parts_[i];
        Run run;
        for (const Assignment& assignment : assignments_) {
            if (const auto number = parse_number(assignment.value)) {
                put(run.stated, assignment.name, *number);
                continue;
            }
            const std::string key = assignment.value.substr(1, assignment.value.size() - 2);
            const auto entry = part.metadata.find(key);
            const auto number =
                entry == part.metadata.end() ? std::optional<double>() : parse_number(entry->second);
            if (!number) {
                std::vector<std::string> numeric;
                for (const auto& [name, text] : part.metadata) {
                    if (parse_number(text)) numeric.push_back(name);
                }
                const auto near = nearest(key, numeric);
                throw Error(ErrorKind::input, part.place,
                            fmt::format("--set {}={}: the file names no number '{}'", assignment.name,
                                        assignment.value, key),
                            near              ? fmt::format("did you mean '{}'?", *near)
                            : numeric.empty() ? "it names no number at all; see --path-pattern"
                                              : fmt::format("it names {}", join(numeric, ", ")));
            }
            put(run.stated, assignment.name, *number);
        }
        if (pattern_) {
            auto facts = pattern_->match(part.place.file);
            if (!facts) {
                throw Error(ErrorKind::input, part.place,
                            fmt::format("its path does not fit --path-pattern '{}'", pattern_->text()),
                            "write the pattern so that it fits each path, or name the files that it fits");
            }
            for (const auto& [name, value] : facts->parameters) put(run.stated, name, value);
            if (facts->rank && !part.rank) {
                part.rank = facts->rank;
                part.run = facts->run;
            }
        }
        for (const auto& [name, value] : part.parameters) put(run.stated, name, value);
        const PathFacts facts = facts_of_name(part.place.file);
        for (const auto& [name, value] : facts.parameters) put(run.suggested, name, value);
        if (facts.rank && !part.rank) {
            part.rank = facts.rank;
            part.run = facts.run;
        }
        if (part.processes)
            put(run.suggested, std::string(processes_name), static_cast<double>(*part.processes));
        for (const std::string_view name : usual_sizes) {
            const auto entry = part.metadata.find(std::string(name));
            if (entry == part.metadata.end()) continue;
            if (const auto number = parse_number(entry->second); number && std::isfinite(*number))
                put(run.suggested, entry->first, *number);
        }
        if (part.rank && !part.run.empty()) {
            auto all = run.stated;
            all.insert(all.end(), run.suggested.begin(), run.suggested.end());
            const auto [found, is_new] = known.try_emplace({part.run, std::move(all)}, runs.size());
            if (!is_new) {
                runs[found->second].parts.push_back(i);
                continue;
            }
        }
        run.parts = {i};
        runs.push_back(std::move(run));
    }
    for (Run& run : runs) {
        if (parts_[run.parts.front()].rank)
            put(run.suggested, std::string(processes_name), static_cast<double>(run.parts.size()));
        std::stable_sort(run.parts.begin(), run.parts.end(), [&](std::size_t a, std::size_t b) {
            return parts_[a].rank.value_or(0) < parts_[b].rank.value_or(0);
        });
    }
    // Which of it are the parameters.
    std::vector<std::string> parameters = names_of(runs, &Run::stated);
    for (const std::string& name : parameters) {
        if (values_of(runs, name).size() == runs.size()) continue;
        const auto lacking = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
            return find(run.stated, name) == nullptr && find(run.suggested, name) == nullptr;
        });
        throw Error(ErrorKind::input, parts_[lacking->parts.front()].place,
                    fmt::format("nothing says what '{}' was in this run, as other runs say", name),
                    fmt::format("give --set {}=... or a --path-pattern, or name the runs apart", name));
    }
    for (const std::string& name : names_of(runs, &Run::suggested)) {
        const auto values = values_of(runs, name);
        if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) continue;
        if (values.size() != runs.size()) {
            builder.note({}, fmt::format("'{}' is known of {} of {} runs alone, and is no parameter", name,
                                         values.size(), runs.size()));
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
    if (parameters.empty()) {
        for (const std::string& name : names_of(runs, &Run::suggested)) {
            if (values_of(runs, name).size() != runs.size()) continue;
            parameters.push_back(name);
            break;
        }
    }
    if (parameters.empty()) {
        parameters.emplace_back(processes_name);
        for (Run& run : runs) put(run.stated, parameters.front(), 1.0);
        builder.note(
            parts_.front().place,
            "nothing says how large the run was, so p = 1 stands for it; give --set or --path-pattern");
    }
    // The values. What a process has not called took it no time.
    const Place& place = parts_.front().place;
    builder.set_parameters(parameters, place);
    if (std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.is_inclusive; }))
        builder.state_inclusive();
    std::vector<double> coordinates(parameters.size());
    for (const Run& run : runs) {
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const double* const stated = find(run.stated, parameters[k]);
            coordinates[k] = stated != nullptr ? *stated : *find(run.suggested, parameters[k]);
        }
        const Place& source = parts_[run.parts.front()].place;
        const experiment::PointId point = builder.point(coordinates, source);
        std::vector<std::uint32_t> first_location;
        std::uint32_t locations = 0;
        for (const std::size_t i : run.parts) {
            first_location.push_back(locations);
            locations += parts_[i].locations();
        }
        std::vector<std::pair<experiment::SeriesId, std::vector<double>>> rows;
        std::map<experiment::SeriesId, std::size_t> row_of;
        for (std::size_t k = 0; k < run.parts.size(); ++k) {
            for (const Part::Value& value : parts_[run.parts[k]].values()) {
                const experiment::SeriesId series = builder.series(value.region, value.metric);
                const auto [found, is_new] = row_of.try_emplace(series, rows.size());
                if (is_new) rows.emplace_back(series, std::vector<double>(locations));
                rows[found->second].second[first_location[k] + value.location] = value.value;
            }
        }
        for (const auto& [series, values] : rows) {
            if (locations == 1)
                builder.add_repetitions(series, point, values, source);
            else
                builder.add_repetition(series, point, values, source);
        }
    }
    // What all runs say alike is said of the experiment.
    for (const auto& [name, text] : parts_.front().metadata) {
        const bool same = std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
            const auto entry = part.metadata.find(name);
            return entry != part.metadata.end() && entry->second == text;
        });
        if (same) builder.rest().metadata.emplace(name, json_quote(text));
    }
    parts_.clear();
}

}  // namespace plimsoll::profile
