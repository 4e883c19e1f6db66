#pragma once

#include <string>
#include <vector>

#include "app/commands/inputs.hpp"

namespace plimsoll::app {

/// One region and metric as `show` lists it.
struct ShownSeries {
    std::string metric;
    std::string unit;
    std::size_t points = 0;
    std::size_t repetitions = 0;  ///< fewest at one point
    std::size_t most_repetitions = 0;
    std::size_t locations = 0;  ///< most values of processes and threads in one repetition; 0 where not kept
    double smallest = 0.0;      ///< smallest and largest mean of a point
    double largest = 0.0;
    /// Over the points, of the deviation of the repetitions / |mean|; not a number without repetitions.
    /// Values of processes and threads count as their mean.
    double spread = 0.0;  ///< median
    double largest_spread = 0.0;
};

/// One node of the call tree.
struct ShownRegion {
    std::string name;
    std::string path;
    int depth = 0;
    bool measured = true;  ///< false for a prefix that is no region itself
    std::vector<ShownSeries> series;
};

/// The document `plimsoll.show/1`: what was read.
struct ShowReport {
    std::vector<std::string> parameters;
    std::vector<std::vector<double>> points;       ///< [points][parameters]
    std::vector<std::vector<double>> axis_values;  ///< distinct values of each parameter, ascending
    std::vector<ShownRegion> regions;              ///< the tree, depth first
    std::vector<std::pair<std::string, std::string>> metadata;  ///< names and JSON texts
    std::vector<std::string> notes;
};

[[nodiscard]] ShowReport show(const Inputs& inputs, Progress& progress);

}  // namespace plimsoll::app
