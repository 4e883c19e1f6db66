#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::profile::detail {

/// What a device works on.
enum class Work : std::uint8_t { computation, communication, memory };

/// Times of a device in which something runs, each counted once whatever runs beside it.
struct BusyTime {
    double computation = 0.0;
    double communication = 0.0;
    double exposed_communication = 0.0;  ///< while nothing is computed
    double memory = 0.0;                 ///< copied or set
    double any = 0.0;
};

struct WorkInterval {
    double begin = 0.0;
    double end = 0.0;
    Work work = Work::computation;
};

/// Unions of intervals, in their unit; the definitions are those of Holistic Trace Analysis. Sorts them.
[[nodiscard]] BusyTime busy_time(std::vector<WorkInterval>& intervals);

}  // namespace plimsoll::profile::detail
