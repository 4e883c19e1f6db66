#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cell.hpp"

namespace plimsoll::model::accuracy {

/// A function to be found.
struct Truth {
    std::function<double(std::span<const double>)> value;
    std::vector<double> lead;  ///< exponent that leads its growth, along each axis
    std::size_t terms = 0;     ///< beside the constant
};

/// Exponent and logarithms of the 42 forms with one term that Extra-P tries.
const std::vector<std::pair<double, double>>& extra_p_classes();

/// Limits of the coefficients that are drawn: uniform in [0, 1000].
constexpr double largest_coefficient = 1000.0;

/// The functions of a cell: published ones, read from a file, or our own, the same for all seeds and noises.
std::vector<Truth> truths_of(const Cell& cell, const std::string& functions);

}  // namespace plimsoll::model::accuracy
