#pragma once

#include <string>
#include <string_view>

#include "plimsoll/profile/part.hpp"

namespace plimsoll::profile::detail {

/// What a column of Caliper's holds, by its name: operations joined by `#` before the attribute that they
/// were applied to, the one that was applied last in front: `avg#inclusive#sum#time.duration` is the mean
/// over processes of the sum over visits of the time in a region and all below it.
struct CaliperMetric {
    std::string name;           ///< "time", "time.max", "visits"; empty where the column is none to model
    std::string unit;           ///< empty where the name does not tell it
    double factor = 1.0;        ///< from the column's unit to this one
    bool is_inclusive = false;  ///< of the region and all below it
    bool is_mean = false;       ///< over processes
    bool is_total = false;      ///< over processes, as far as the name tells
    Joining joining = Joining::sum;
};

[[nodiscard]] CaliperMetric caliper_metric(std::string_view column);

}  // namespace plimsoll::profile::detail
