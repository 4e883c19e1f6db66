#include "plimsoll/profile/detail/caliper_metric.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr double nano = 1e-9;
constexpr double micro = 1e-6;

/// Times as the timer services of Caliper name them.
struct Timer {
    std::string_view name;
    double factor;
    bool is_inclusive;
};
constexpr std::array timers{Timer{"time.duration", 1.0, false}, Timer{"time.duration.ns", nano, false},
                            Timer{"time.duration.us", micro, false},
                            Timer{"time.inclusive.duration", 1.0, true},
                            Timer{"time.inclusive.duration.ns", nano, true}};

bool is_operation(std::string_view word) {
    constexpr std::array<std::string_view, 8> operations{"sum", "min",       "max",   "avg",
                                                         "any", "inclusive", "scale", "first"};
    return std::find(operations.begin(), operations.end(), word) != operations.end();
}

}  // namespace

CaliperMetric caliper_metric(std::string_view column) {
    CaliperMetric metric;
    // Places in the order of first visits, and the parts of means over processes, which are there as well.
    if (column.ends_with("aggregate.slot") || column.starts_with("avg.count#") ||
        column.starts_with("avg.sum#") || column.starts_with("time.offset"))
        return metric;
    std::vector<std::string_view> operations = split(column, '#');
    std::string_view base = operations.back();
    operations.pop_back();
    // "#" may be part of a name, as in "iteration#main".
    if (!std::all_of(operations.begin(), operations.end(), is_operation)) {
        metric.name = column;
        return metric;
    }
    if (std::erase(operations, "inclusive") > 0) metric.is_inclusive = true;
    const std::string_view last = operations.empty() ? std::string_view() : operations.front();
    metric.joining = last == "min"   ? Joining::smallest
                     : last == "max" ? Joining::largest
                     : last == "any" ? Joining::last
                                     : Joining::sum;
    if (base.starts_with("count") && base.size() <= 5) base = "visits";
    const auto* const timer =
        std::find_if(timers.begin(), timers.end(), [&](const Timer& t) { return t.name == base; });
    if (timer != timers.end()) {
        base = "time";
        metric.unit = "s";
        metric.factor = timer->factor;
        metric.is_inclusive = metric.is_inclusive || timer->is_inclusive;
    }
    metric.name = base;
    // One operation is that over visits, two are those over processes and visits.
    const bool over_processes = operations.size() > 1;
    metric.is_mean = over_processes && last == "avg";
    metric.is_total = over_processes && last == "sum";
    if (last == "min" || last == "max" || (last == "avg" && !over_processes)) {
        metric.name += over_processes ? "." : ".visit_";
        metric.name += last == "avg" ? "mean" : last;
    }
    return metric;
}

}  // namespace plimsoll::profile::detail
