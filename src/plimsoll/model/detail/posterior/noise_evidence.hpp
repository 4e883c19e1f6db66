#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/noise.hpp"
#include "plimsoll/model/options.hpp"

namespace plimsoll::model::detail {

/// One guess at the variance of a modelled value, relative to the square of its size: scaled inverse
/// chi-square.
struct NoisePrior {
    double log_weight = 0.0;
    double degrees_of_freedom = 0.0;
    double variance = 0.0;
};

/// A repetition so far from the others of its point that it tells of something else.
struct Outlier {
    std::size_t point = 0;  ///< position in the series
    double value = 0.0;
    double median = 0.0;  ///< of the point
};

/// What the repetitions of one series tell of the values to be modelled.
struct NoiseEvidence {
    std::vector<double> values;  ///< to be modelled, [points]
    std::vector<double> runs;    ///< how many repetitions stand behind each value, over their mean; [points]
    std::vector<NoisePrior> priors;  ///< weights sum to one
    double run_deviation = 0.0;      ///< relative standard deviation of one run; not a number if not known
    std::vector<Outlier> outliers;   ///< left out of values and deviations
    bool drifts = false;             ///< repetitions follow on one another; the values are their first ones
};

/// Reads the noise off the repetitions of a series.
///
/// Of three repetitions or more, one that lies ten robust deviations and three tenths of the median away from
/// it is an outlier, unless they are more than a third of their point's: it is left out and named, from the
/// values only where these are means. Where repetitions are independent, their scatter within the points
/// gives the variance of a point's mean; a second guess, that they tell too little (they share an error),
/// keeps the fit honest. Where successive repetitions lie nearer to each other than any two, they drift, and
/// only the first one is taken. Of a mean of all, none is an outlier and none drifts. Single measurements
/// have five guesses between 0.01 % and 20 %.
[[nodiscard]] NoiseEvidence read_noise(const experiment::Series& series, Statistic statistic);

/// The same as users see it.
[[nodiscard]] Noise noise_of(const experiment::Experiment& experiment, const experiment::Series& series,
                             const NoiseEvidence& evidence);

}  // namespace plimsoll::model::detail
