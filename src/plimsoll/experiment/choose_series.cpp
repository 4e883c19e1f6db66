#include <fmt/format.h>

#include <limits>
#include <regex>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/experiment/detail/transform_steps.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::uint32_t dropped = std::numeric_limits<std::uint32_t>::max();

std::regex compile(const std::string& expression) {
    try {
        return std::regex(expression, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
        throw Error(ErrorKind::usage, fmt::format("'{}' is not a regular expression", expression),
                    "close all brackets, and put a backslash before a special character that is meant");
    }
}

/// Whether the expression matches somewhere. The library recurses for each character, so very long paths are
/// refused.
bool contains_match(const std::string& path, const std::regex& expression) {
    constexpr std::size_t longest = 8192;
    if (path.size() > longest) {
        throw Error(ErrorKind::usage,
                    fmt::format("a path of {} bytes is too long for a regular expression", path.size()),
                    "choose regions with --region");
    }
    try {
        return std::regex_search(path, expression);
    } catch (const std::regex_error&) {
        throw Error(ErrorKind::usage, "the regular expression takes too long to match",
                    "use a simpler expression");
    }
}

/// Which names fit one of the patterns; those that no name fits are added to `idle`. Throws a usage error
/// where that is all of them; `option` is the flag that they were given by.
std::vector<bool> matches(const std::vector<std::string>& names, std::span<const std::string> patterns,
                          std::string_view kind, std::string_view option, std::vector<std::string>& idle) {
    std::vector<bool> fits(names.size(), false);
    for (const std::string& pattern : patterns) {
        bool used = false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!glob_match(pattern, names[i])) continue;
            fits[i] = true;
            used = true;
        }
        if (!used) idle.push_back(pattern);
    }
    if (!patterns.empty() && idle.size() == patterns.size()) {
        const auto near =
            kind == "region" ? meant_regions(idle.front(), names) : nearest(idle.front(), names);
        constexpr std::size_t few = 12;
        throw Error(ErrorKind::usage, fmt::format("no {} fits '{}'", kind, join(idle, "', '")),
                    idle.front().ends_with('-')
                        ? fmt::format("quote it, as in --{} '{}>*': the shell takes > for a redirection",
                                      option, idle.front())
                    : near ? fmt::format("did you mean '{}'?", *near)
                           : fmt::format("choose from {}{}",
                                         join(std::span(names).first(std::min(few, names.size())), ", "),
                                         names.size() > few ? ", ..." : ""));
    }
    return fits;
}

/// As above; all names if there are no patterns. Notes patterns that no name fits.
std::vector<bool> matches(const std::vector<std::string>& names, const std::vector<std::string>& patterns,
                          std::string_view kind, Experiment& experiment) {
    if (patterns.empty()) return std::vector<bool>(names.size(), true);
    std::vector<std::string> idle;
    std::vector<bool> fits = matches(names, patterns, kind, kind, idle);
    for (const std::string& pattern : idle) {
        experiment.notes.push_back({.place = {}, .message = fmt::format("no {} fits '{}'", kind, pattern)});
    }
    return fits;
}

std::vector<std::string> paths_of(const Experiment& experiment) {
    std::vector<std::string> paths;
    for (const Region& region : experiment.regions) paths.push_back(region.path);
    return paths;
}

std::vector<bool> chosen_regions(Experiment& experiment, const TransformOptions& options) {
    const std::vector<std::string> names = paths_of(experiment);
    std::vector<bool> fits = matches(names, options.regions, "region", experiment);
    if (options.region_expression.empty()) return fits;
    const std::regex expression = compile(options.region_expression);
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        fits[i] = fits[i] && contains_match(names[i], expression);
        found = found || fits[i];
    }
    if (!found) {
        throw Error(ErrorKind::usage, fmt::format("no region matches '{}'", options.region_expression),
                    fmt::format("use a part of a path such as '{}'", names.empty() ? "main" : names.front()));
    }
    return fits;
}

/// Drops the entries of a list that are not used; returns the new position of each.
template <class Entry>
std::vector<std::uint32_t> keep_used(std::vector<Entry>& entries, const std::vector<bool>& used) {
    std::vector<std::uint32_t> positions(used.size(), dropped);
    std::vector<Entry> kept;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        positions[i] = next++;
        kept.push_back(std::move(entries[i]));
    }
    entries = std::move(kept);
    return positions;
}

/// Drops regions and metrics that no series has, and renumbers the others. All points stay: what was measured
/// in 3 of 5 points must not look complete because the complete regions were not chosen.
void renumber(Experiment& experiment) {
    std::vector<bool> regions(experiment.regions.size(), false);
    std::vector<bool> metrics(experiment.metrics.size(), false);
    for (const Series& series : experiment.series) {
        regions[index(series.region)] = true;
        metrics[index(series.metric)] = true;
    }
    const auto new_region = keep_used(experiment.regions, regions);
    const auto new_metric = keep_used(experiment.metrics, metrics);
    for (Series& series : experiment.series) {
        series.region = static_cast<RegionId>(new_region[index(series.region)]);
        series.metric = static_cast<MetricId>(new_metric[index(series.metric)]);
    }
}

}  // namespace

void keep_chosen(Experiment& experiment, const TransformOptions& options) {
    if (options.regions.empty() && options.region_expression.empty() && options.metrics.empty()) return;
    const std::vector<bool> regions = chosen_regions(experiment, options);
    std::vector<std::string> names;
    for (const Metric& metric : experiment.metrics) names.push_back(metric.name);
    const std::vector<bool> metrics = matches(names, options.metrics, "metric", experiment);
    std::erase_if(experiment.series, [&](const Series& series) {
        return !regions[index(series.region)] || !metrics[index(series.metric)];
    });
    if (experiment.series.empty()) {
        throw Error(ErrorKind::usage, "the chosen metrics were not measured in the chosen regions",
                    "choose with --region or --metric alone");
    }
    renumber(experiment);
}

}  // namespace plimsoll::experiment::detail

namespace plimsoll::experiment {

std::vector<bool> fitting_regions(const Experiment& experiment, std::span<const std::string> patterns,
                                  std::string_view option) {
    const std::vector<std::string> paths = detail::paths_of(experiment);
    std::vector<bool> fits(paths.size(), false);
    for (const std::string& pattern : patterns) {
        std::vector<std::string> idle;
        const std::vector<bool> these =
            detail::matches(paths, std::span(&pattern, 1), "region", option, idle);
        for (std::size_t i = 0; i < fits.size(); ++i) fits[i] = fits[i] || these[i];
    }
    return fits;
}

}  // namespace plimsoll::experiment
