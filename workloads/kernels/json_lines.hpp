#pragma once

#include <cstdint>
#include <string>

#include "kernels/measurement.hpp"

namespace plimsoll::kernels {

/// Where and when a measurement was made.
struct Metadata {
    std::string host;
    std::string cpu;
    std::string date;  ///< ISO 8601, UTC
    std::string compiler;
    std::uint64_t seed = 0;
};

/// Of this machine, now.
[[nodiscard]] Metadata current_metadata(std::uint64_t seed);

/// First line of a file in the format plimsoll.experiment/1, with its line end.
[[nodiscard]] std::string header_line(const Metadata& metadata);

/// One line a region, with line ends.
[[nodiscard]] std::string measurement_lines(const Measurement& measurement);

}  // namespace plimsoll::kernels
