#pragma once

#include <limits>
#include <string>
#include <vector>

#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/options.hpp"

namespace plimsoll::model {

/// A repetition so far from the others of its point that it tells of something else.
struct Outlier {
    std::vector<double> at;  ///< [parameters]
    double value = 0.0;
    double median = 0.0;  ///< of the point
};

/// What the repetitions of one series tell of its noise.
struct Noise {
    /// Relative standard deviation of one run, outliers aside, pooled over the points; not a number where
    /// there are no repetitions. Of runs that drift it is that of the step from one to the next.
    double run_deviation = std::numeric_limits<double>::quiet_NaN();
    std::vector<Outlier> outliers;
    bool drifts = false;  ///< each repetition lies nearer to the one before than to the others
};

/// The noise of a series as the default search reads it.
[[nodiscard]] Noise noise_of(const experiment::Experiment& experiment, const experiment::Series& series,
                             Statistic statistic);

/// Writes it as one JSON value.
void write(JsonWriter& json, const Noise& noise, const std::vector<std::string>& parameters);

}  // namespace plimsoll::model
