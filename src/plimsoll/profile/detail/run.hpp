#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/profile/part.hpp"

namespace plimsoll::profile::detail {

/// The parameter that is the number of processes.
constexpr std::string_view processes_name = "p";

/// Names with their values, in order; none twice.
using Numbers = std::vector<std::pair<std::string, double>>;

/// Null where there is none of that name.
[[nodiscard]] const double* find(const Numbers& list, std::string_view name);

/// Adds a value, unless the name has one.
void put(Numbers& list, std::string_view name, double value);

/// A run: its parts, which are processes of it.
struct Run {
    std::vector<const Part*> parts{};
    Numbers stated;                                               ///< parameters that somebody names as such
    Numbers suggested;                                            ///< what may be parameters
    std::set<std::pair<std::int64_t, std::int64_t>> processes{};  ///< rank and thread of each part
    double process_count = 0.0;  ///< of a run with ranks, those that are missing too

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

/// Says of each run that has ranks how many processes it has, of which some may be missing: by all steps of
/// its profile, as one process may tell of more steps than others. Leaves out processes without steps where
/// others of their profile have some.
void count_processes(std::vector<Run>& runs, experiment::ExperimentBuilder& builder);

/// Leaves only runs of which the same parameters are stated: the largest group of such runs.
void keep_comparable_runs(std::vector<Run>& runs, experiment::ExperimentBuilder& builder);

/// The names of the parameters: what is stated, and of what is suggested that which varies by itself. Leaves
/// out the few runs of which the only parameter is not known.
[[nodiscard]] std::vector<std::string> choose_parameters(std::vector<Run>& runs,
                                                         experiment::ExperimentBuilder& builder);

/// Says in what runs of the same point differ, where that is not by chance: in a few texts that come again.
/// `points` are their coordinates, [runs].
void note_differences(const std::vector<Run>& runs, const std::vector<std::vector<double>>& points,
                      experiment::ExperimentBuilder& builder);

/// Hands the values of a run to the builder. What a process has not called took it no time.
void deliver(const Run& run, experiment::PointId point, experiment::ExperimentBuilder& builder);

}  // namespace plimsoll::profile::detail
