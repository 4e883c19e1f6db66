#pragma once

#include <span>

#include "plimsoll/core/input.hpp"
#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::experiment::detail {

/// Adds what one Cube profile holds as one more repetition at a point, given in the order of the builder's
/// names.
///
/// Each region gets its own (exclusive) values, one of each process and thread. Metrics without values to
/// read are left out with a note. Throws an input error that names the file for a damaged one.
void add_cube_profile(Input& input, std::span<const double> coordinates, ExperimentBuilder& builder);

}  // namespace plimsoll::experiment::detail
