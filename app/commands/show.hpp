#pragma once

#include <string>
#include <vector>

#include "app/commands/inputs.hpp"
#include "plimsoll/model/noise.hpp"

namespace plimsoll::app {

/// What was measured of one region and metric at one point.
struct ShownPoint {
    std::vector<double> at;       ///< [parameters]
    std::size_t repetitions = 0;  ///< 0 where the input does not say
    double mean = 0.0;            ///< mean and median are over the values of all processes and threads
    double median = 0.0;
    /// Robust deviation of the repetitions / |their median|; not a number without repetitions.
    double deviation = 0.0;
};

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
    model::Noise noise;                ///< as models of the mean weigh it
    std::vector<ShownPoint> measured;  ///< by rising coordinates, where regions were chosen
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
