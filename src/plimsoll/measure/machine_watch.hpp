#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll::measure {

/// What the processors of this machine have done since it was started, in seconds of one processor.
struct ProcessorTimes {
    double busy = 0.0;    ///< for processes and the system
    double stolen = 0.0;  ///< given to other virtual machines
    double total = 0.0;   ///< all of it, idle time as well
};

/// From the text of /proc/stat; empty where it is not understood.
[[nodiscard]] std::optional<ProcessorTimes> parse_processor_times(std::string_view stat);
[[nodiscard]] std::optional<ProcessorTimes> read_processor_times();

/// What disturbed a span of time, as shares of all processors.
struct Disturbance {
    double others = 0.0;  ///< what processes took that are not ours
    double stolen = 0.0;

    /// Whether it is small enough not to be told.
    [[nodiscard]] bool is_small() const { return others < 0.05 && stolen < 0.02; }
};

/// What happened between two readings, of which `ours` was for the program that is measured. Empty for spans
/// too short to tell: the kernel counts in hundredths of a second.
[[nodiscard]] std::optional<Disturbance> disturbance(const ProcessorTimes& before,
                                                     const ProcessorTimes& after, Seconds ours);

/// "other processes took 12 % of the processors, and the host 3 %", with what is small left out.
[[nodiscard]] std::string describe(const Disturbance& seen);

/// Processes that ran or waited for a processor, on average over the last minute.
[[nodiscard]] std::optional<double> load_average();

}  // namespace plimsoll::measure
