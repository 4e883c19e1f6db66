#pragma once

#include <string>

#include "cell.hpp"

namespace plimsoll::model::accuracy {

/// Draws the rows of a CSV file that have the cell's truth, design and parameters, as SVG: for each law the
/// share within 5 % at the target and the coverage of 90 % intervals, against the noise. The limit stands
/// beside the law that it is like: the one with Gaussian noise where there is one, else the law's own.
void draw_picture(const Cell& cell, const std::string& rows, const std::string& path);

}  // namespace plimsoll::model::accuracy
