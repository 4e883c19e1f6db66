#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "cell.hpp"
#include "plimsoll/model/fit.hpp"

namespace plimsoll::model::accuracy {

/// Nominal coverages of the intervals that are judged.
constexpr std::array<double, 4> coverages{0.5, 0.8, 0.9, 0.95};
constexpr double main_coverage = 0.9;  ///< whose width and score are told

struct Interval {
    double low = 0.0;
    double high = 0.0;
};

/// What is said of one place.
struct Prediction {
    double value = std::numeric_limits<double>::quiet_NaN();
    std::optional<std::array<Interval, coverages.size()>> intervals;
    std::optional<double> chance;  ///< probability that the value is within 5 %, where the method knows it
};

/// What a method says of one function.
struct Answer {
    std::vector<double> lead;  ///< exponent of the function that is named, along each axis
    bool is_constant = false;
    std::vector<double> probabilities;  ///< of 0, 1, 2 … terms beside the constant; none where no method says
    std::vector<Prediction> at;         ///< of each place
};

/// What models say, on so many threads (0: one for each core).
std::vector<Answer> answers_of(const Cell& cell, const std::vector<Fit>& fits, int threads);

}  // namespace plimsoll::model::accuracy
