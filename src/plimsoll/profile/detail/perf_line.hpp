#pragma once

#include <optional>
#include <string_view>

namespace plimsoll::profile::detail {

/// One count as perf stat writes it, on a line of its own: pieces of the line.
struct PerfCount {
    std::string_view interval;  ///< its end in s, with -I
    std::string_view place;     ///< processor, core, socket or thread; empty where all are counted as one
    std::string_view value;     ///< a number, or why there is none: "<not counted>"
    std::string_view unit;      ///< "msec", "ns", "Joules"; empty for plain counts
    std::string_view event;     ///< empty on lines that hold a derived metric alone
    std::string_view run_time;  ///< of the counter, ns
    std::string_view share;     ///< of the time in which it was counted, %
    bool is_mean = false;       ///< over the runs of -r
    bool is_summary = false;    ///< of intervals, each of which is there too
    bool is_whole = true;       ///< false where the line was cut short, or is none of perf's
};

/// Whether a value says why there is no number.
[[nodiscard]] bool is_not_counted(std::string_view value);

/// A number with a point or a comma before the decimals, and perhaps marks between the thousands. A single
/// comma with three digits behind it stands between thousands.
[[nodiscard]] std::optional<double> perf_number(std::string_view text);

/// The fields of a line of `perf stat -x`: [interval,][place,[number of
/// counters,]]value,unit,event,[variance,] run time,share[,metric,its unit].
[[nodiscard]] PerfCount perf_fields(std::string_view line, char separator);

/// The separator of a line of `perf stat -x`, by all fields that each such line has; nothing for other lines.
[[nodiscard]] std::optional<char> perf_separator(std::string_view line);

/// The members of a line of `perf stat -j`. Some versions write numbers there that JSON does not allow.
[[nodiscard]] PerfCount perf_members(std::string_view line);

}  // namespace plimsoll::profile::detail
