#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/campaign/ids.hpp"
#include "plimsoll/campaign/resources.hpp"
#include "plimsoll/core/options.hpp"

namespace plimsoll::campaign {

/// Which end of the jobs that a job comes after lets it start.
enum class AfterRule : std::uint8_t { ok, any, failed };

constexpr std::array<EnumName<AfterRule>, 3> enum_names(AfterRule) {
    return {{{AfterRule::ok, "ok"}, {AfterRule::any, "any"}, {AfterRule::failed, "failed"}}};
}

/// What the engine must know of a job to schedule its tasks; the rest is for the worker.
struct Policy {
    Resources resources;           ///< of one task while it runs
    int priority = 0;              ///< higher goes first
    int retries = 0;               ///< new tries after a failure
    std::vector<int> retry_codes;  ///< exit codes that are worth a new try; none named: all
    double backoff_s = 1.0;        ///< before the first new try; doubles with each
    int crash_limit = 5;           ///< losses of the worker under the task until it is given up
    double min_time_s = 0.0;       ///< a worker with less time left does not get it
    auto operator<=>(const Policy&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm on <=>
};

/// What the entries of an array are.
enum class EntryKind : std::uint8_t {
    single,  ///< no array: one task
    range,   ///< numbers `first`, `first + step`, …
    lines,   ///< texts, one for each task
    json,    ///< JSON objects, one for each task, whose keys are placeholders
};

constexpr std::array<EnumName<EntryKind>, 4> enum_names(EntryKind) {
    return {{{EntryKind::single, "single"},
             {EntryKind::range, "range"},
             {EntryKind::lines, "lines"},
             {EntryKind::json, "json"}}};
}

/// A submission: what to run, how often, and under which conditions.
struct JobSpec {
    std::string name;
    std::vector<std::string> tags;     ///< `key=value`
    std::vector<std::string> command;  ///< program and arguments, with placeholders `{index}`, `{line}`, …
    std::vector<std::pair<std::string, std::string>> environment;
    std::string folder;  ///< working folder; absolute
    std::string input;   ///< file for standard input; empty: /dev/null
    std::string output;  ///< file for standard output, with placeholders; empty: the worker's stream
    std::string errors;  ///< the same for standard error
    std::vector<std::string> before;      ///< hook: run before each attempt; failing, it fails the attempt
    std::vector<std::string> afterwards;  ///< hook: run after success; failing, it fails the attempt
    std::vector<std::string> on_failure;  ///< hook: run after an attempt that failed
    double time_limit_s = 0.0;            ///< of one attempt; 0: none
    double kill_after_s = 5.0;            ///< between SIGTERM and SIGKILL
    Policy policy;
    std::vector<JobId> after;
    AfterRule rule = AfterRule::ok;
    bool held = false;
    JobId retry_of;  ///< the job whose failed tasks this one brings back; 0: none
    TaskId parent;   ///< the task that submitted it; job 0: a person

    EntryKind entries = EntryKind::single;
    std::uint32_t count = 1;
    std::int64_t first = 0;  ///< of a range
    std::int64_t step = 1;
    std::string lines;  ///< entries of `lines` and `json`, each ended by a newline; not part of the JSON text
};

/// The spec as one line of JSON, without its lines.
[[nodiscard]] std::string to_json(const JobSpec& spec);

/// Reads what `to_json` wrote. Throws an input error that names the key.
[[nodiscard]] JobSpec spec_from_json(std::string_view text);

/// Throws a usage error that names a placeholder which stands for nothing, in the command, a file name or
/// elsewhere.
void check_placeholders(const JobSpec& spec);

/// The first words of the command, for tables.
[[nodiscard]] std::string title(const JobSpec& spec);

}  // namespace plimsoll::campaign
