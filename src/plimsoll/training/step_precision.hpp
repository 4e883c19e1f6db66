#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::training {

/// How well the profiled steps of one configuration tell the time of a step, and how many would do.
struct StepPrecision {
    std::vector<double> at;           ///< [parameters]
    std::size_t steps = 0;            ///< that were profiled
    double mean = 0.0;                ///< time of a step, s: the mean of its processes
    double half_width = 0.0;          ///< of the mean's interval, relative to the mean; 0 of one step
    double autocorrelation_time = 1;  ///< steps that tell as much as one independent step, at least 1
    std::size_t needed = 0;  ///< steps for the wanted precision; 0 where one step tells nothing of it
};

/// Steps among which one tells as much as an independent one: 1 + 2 (sum of autocorrelations).
///
/// The sum ends before the first pair of lags whose sum is not positive (Geyer, "Practical Markov chain Monte
/// Carlo", Statistical Science 7(4), 1992, initial positive sequence). 1 for fewer than 20 values, which do
/// not tell it.
[[nodiscard]] double autocorrelation_time(std::span<const double> values);

/// Of each configuration in which steps were measured. `coverage` is that of the mean's interval, and
/// `precision` its wanted half width relative to the mean.
///
/// The steps needed follow from the deviation of those that are there: the smallest n of which the interval
/// t(n - 1) s sqrt(tau / n) is no wider, with tau the autocorrelation time.
[[nodiscard]] std::vector<StepPrecision> step_precision(const experiment::Experiment& measurements,
                                                        double coverage, double precision);

}  // namespace plimsoll::training
