#include "plimsoll/profile/detail/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

using experiment::ExperimentBuilder;

namespace {

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

/// Names of what may be parameters, with the number of processes in front where all files state it:
/// whatever grows with it in the names (nodes, sizes) is known less surely. Where a name has the very same
/// values, it is that number, and stays in its place.
std::vector<std::string> suggested_names(const std::vector<Run>& runs) {
    std::vector<std::string> names = names_of(runs, &Run::suggested);
    const bool is_counted = std::all_of(
        runs.begin(), runs.end(), [](const Run& run) { return run.parts.front()->processes.has_value(); });
    const auto own = std::find(names.begin(), names.end(), processes_name);
    if (!is_counted || own == names.end()) return names;
    const std::vector<double> counts = values_of(runs, processes_name);
    const bool is_named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return name != processes_name && values_of(runs, name) == counts;
    });
    if (!is_named) std::rotate(names.begin(), own, own + 1);
    return names;
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

}  // namespace

const double* find(const Numbers& list, std::string_view name) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.first == name; });
    return found == list.end() ? nullptr : &found->second;
}

void put(Numbers& list, std::string_view name, double value) {
    if (find(list, name) == nullptr) list.emplace_back(name, value);
}

void count_processes(std::vector<Run>& runs, ExperimentBuilder& builder) {
    struct Profile {
        std::set<std::int64_t> ranks;
        bool has_steps = false;
    };
    std::map<std::tuple<std::string, Numbers, Numbers>, Profile> profiles;
    const auto profile_of = [&](const Run& run) -> Profile& {
        return profiles[{run.parts.front()->run, run.stated, run.suggested}];
    };
    for (const Run& run : runs) {
        if (!run.parts.front()->rank) continue;
        Profile& profile = profile_of(run);
        for (const Part* const part : run.parts) profile.ranks.insert(part->rank.value_or(0));
        profile.has_steps = profile.has_steps || run.parts.front()->step.has_value();
    }
    std::erase_if(runs, [&](const Run& run) {
        const Part& first = *run.parts.front();
        if (!first.rank || first.step || !profile_of(run).has_steps) return false;
        builder.note(run.place(), "is left out: it has no steps, and other processes of its run have");
        return true;
    });
    for (Run& run : runs) {
        if (!run.parts.front()->rank) continue;
        const std::set<std::int64_t>& ranks = profile_of(run).ranks;
        const auto known = static_cast<std::int64_t>(ranks.size());
        const bool has_gaps = *ranks.rbegin() - *ranks.begin() + 1 > known || *ranks.begin() > 1;
        const std::int64_t all =
            run.parts.front()->processes.value_or(has_gaps ? *ranks.rbegin() + 1 : known);
        std::set<std::int64_t> there;
        for (const Part* const part : run.parts) there.insert(part->rank.value_or(0));
        if (static_cast<std::int64_t>(there.size()) < all)
            builder.note(run.place(), fmt::format("{} of {} processes are there", there.size(), all));
        run.process_count = static_cast<double>(all);
    }
}

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

std::vector<std::string> choose_parameters(std::vector<Run>& runs, ExperimentBuilder& builder) {
    std::vector<std::string> parameters = names_of(runs, &Run::stated);
    const std::vector<std::string> suggested = suggested_names(runs);
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

}  // namespace plimsoll::profile::detail
