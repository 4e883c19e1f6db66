#pragma once

#include <cstdint>
#include <string>

#include "kernels/measurement.hpp"
#include "support/machine.hpp"

namespace plimsoll::kernels {

/// First line of a file in the format plimsoll.experiment/1, with its line end.
[[nodiscard]] std::string header_line(const workloads::Machine& machine, std::uint64_t seed);

/// One line a region, with line ends.
[[nodiscard]] std::string measurement_lines(const Measurement& measurement);

}  // namespace plimsoll::kernels
