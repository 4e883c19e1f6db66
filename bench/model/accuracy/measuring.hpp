#pragma once

#include <random>
#include <string>
#include <vector>

#include "cell.hpp"
#include "plimsoll/experiment/experiment.hpp"
#include "truth.hpp"

namespace plimsoll::model::accuracy {

/// Measured values of each parameter.
const std::vector<std::vector<double>>& axes();

/// The points of a design, [points][parameters].
std::vector<std::vector<double>> design_points(const Cell& cell);

/// Where models are judged.
struct Place {
    std::string name;
    std::vector<double> at;
};

std::vector<Place> places(std::size_t parameters);

/// The law's standard deviation, relative, of one run or of one step of a random walk.
double deviation_of(const Cell& cell);

/// Measured values, [functions][points][repetitions].
using Runs = std::vector<std::vector<std::vector<double>>>;

Runs measure(const Cell& cell, const std::vector<Truth>& truths, std::mt19937_64& random);

/// The same as what a search takes: one region for each function.
experiment::Experiment experiment_of(const Cell& cell, const Runs& runs);

}  // namespace plimsoll::model::accuracy
