#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "plimsoll/plan/predictions.hpp"

namespace plimsoll::plan {

/// Efficiency at a point, relative to the fewest processes that were measured with all else alike; by
/// medians.
[[nodiscard]] double efficiency_at(const Workload& workload, std::span<const double> point);

/// The most processes that reach an efficiency.
struct EfficientScale {
    double processes = 0.0;
    double efficiency = 0.0;
    bool is_end = false;  ///< it is the most that was looked at, and more may do as well
};

/// The largest whole number of processes up to `most` whose efficiency is at least `least`, with the other
/// parameters as in the point; empty where none is. Efficiencies are looked at in steps of a twentieth, and
/// halved to the last one.
[[nodiscard]] std::optional<EfficientScale> largest_efficient(const Workload& workload,
                                                              std::span<const double> point, double least,
                                                              double most);

/// The least value of one parameter, from `from` to `to`, at which the efficiency of the point's processes is
/// at least `least`; empty where none is. With processes and sizes so related, efficiency is kept: the
/// isoefficiency function. Within a millionth. Source: Grama, Gupta, Kumar, "Isoefficiency: measuring the
/// scalability of parallel algorithms and architectures", IEEE Parallel & Distributed Technology 1(3), 1993.
[[nodiscard]] std::optional<double> efficient_size(const Workload& workload, std::span<const double> point,
                                                   std::size_t parameter, double least, double from,
                                                   double to);

}  // namespace plimsoll::plan
