#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::measure {

/// Where a metric's value comes from.
enum class Source {
    wall,
    user,
    system,
    processor,  ///< user and system
    peak_memory,
    faults,
    context_switches,
    bytes_read,
    bytes_written,
    energy,
    output,        ///< a number in what the program prints
    error_output,  ///< a number in its error stream
    file           ///< all that is in a file which the program writes
};

/// One thing to measure of each run.
struct MetricChoice {
    Source source = Source::wall;
    std::string name;
    std::string unit;
    std::string label;       ///< that the number stands beside, or
    std::string expression;  ///< a regular expression whose group is the number
    std::string path;        ///< template of a file's path
    std::string written;     ///< as the user wrote it
};

/// Understands lists such as `time,rss,stdout:GFLOP/s as rate [GFLOP/s],stderr:/took
/// ([0-9.]+)/,file:out-{n}.jsonl`. Within a regular expression a comma separates nothing. Throws a usage
/// error.
[[nodiscard]] std::vector<MetricChoice> parse_metrics(std::span<const std::string> lists);

/// The number beside a label: `label NUMBER`, `label: NUMBER` or `label = NUMBER`, else `NUMBER label`; of
/// several the last. A label is not found within a word.
[[nodiscard]] std::optional<double> find_beside(std::string_view output, std::string_view label);

/// The number in the first group of a regular expression (ECMAScript) that is looked for in each line; of
/// several the last.
[[nodiscard]] std::optional<double> find_by(std::string_view output, const std::string& expression);

}  // namespace plimsoll::measure
