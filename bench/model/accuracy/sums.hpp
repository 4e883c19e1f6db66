#pragma once

#include <vector>

#include "cell.hpp"

namespace plimsoll::model::accuracy {

/// What counts of the runs at each point.
struct Sums {
    double repetitions = 0.0;
    std::vector<double> first;   ///< sum of the values
    std::vector<double> second;  ///< of their squares
    std::vector<double> smallest;
    std::vector<double> largest;
};

/// Of the runs of one function, [points][repetitions]. Of a random walk the first repetition says all: the
/// later ones depend on the function through it alone.
Sums sums_of(const Cell& cell, const std::vector<std::vector<double>>& runs);

}  // namespace plimsoll::model::accuracy
