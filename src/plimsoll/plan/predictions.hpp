#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/model/document.hpp"
#include "plimsoll/model/grid.hpp"
#include "plimsoll/plan/machine.hpp"

namespace plimsoll::plan {

/// A model that counts in a run, and how often.
struct Part {
    const model::RegionModel* model = nullptr;  ///< which lives as long as this
    double unit = 1.0;                          ///< what one unit of the metric is, in s or in bytes
    /// How often it happens in a run at a point, [parameters]; once where there is no function.
    std::function<double(std::span<const double>)> times;
};

/// How the efficiency of a number of processes compares with the fewest that were measured.
enum class Work {
    per_process,  ///< each process has as much to do: T(p0) / T(p), weak scaling
    in_all        ///< all together have the same to do: p0 T(p0) / (p T(p)), strong scaling
};

/// What is to be run.
struct Workload {
    std::size_t processes = 0;  ///< position of the parameter that counts them
    double fewest = 1.0;        ///< processes that were measured
    Work work = Work::per_process;
    std::vector<Part> time;    ///< times of parts that follow one another
    std::vector<Part> memory;  ///< of a process; the largest counts
    MemoryPlace memory_place = MemoryPlace::device;
};

/// Predictions at the points of a grid. They are of the machine that was measured.
struct Predictions {
    model::Grid grid;
    std::size_t processes = 0;       ///< position of the parameter that counts them
    std::vector<double> time;        ///< medians, s, [points]; not a number where there is none
    std::vector<double> longest;     ///< what times stay below with the probability asked for, s, [points]
    std::vector<double> efficiency;  ///< of the medians, [points]
    std::vector<double> memory;  ///< of a process, with that probability, bytes, [points]; empty: not known
    MemoryPlace memory_place = MemoryPlace::device;
};

/// Predicts the points of a grid. `confidence` in (0.5, 1) is the probability of `longest` and `memory`.
///
/// The parts of a time are added up as if they were all long or all short together, which makes the intervals
/// of the sum wide, on the safe side: what slows one part down (the machine) mostly slows others.
[[nodiscard]] Predictions predict(const Workload& workload, model::Grid grid, double confidence, int threads,
                                  Progress& progress);

/// Time in s at a point, by the medians, and the interval of a coverage.
[[nodiscard]] model::Estimate time_at(const Workload& workload, std::span<const double> point,
                                      double coverage);

/// Probability that a run at a point takes no longer than so many seconds, on the machine that was measured;
/// within 1e-9 of 0 and 1.
[[nodiscard]] double probability_within(const Workload& workload, std::span<const double> point,
                                        double seconds);

/// Probability that the efficiency at a point is no less than `least`, above 0. The times there and on the
/// fewest processes are taken to be known independently of one another, and so it is on the safe side where
/// forms are wrong in both alike; within a hundredth or two. Not a number where a time has no value, or may
/// be zero or negative.
[[nodiscard]] double probability_efficient(const Workload& workload, std::span<const double> point,
                                           double least);

}  // namespace plimsoll::plan
