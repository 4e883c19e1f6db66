#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::model::accuracy {

/// What is drawn and how it is measured.
struct Cell {
    std::string truth = "published";
    std::string design = "grid";
    std::string law = "independent";
    std::size_t parameters = 2;
    double noise = 0.0;  ///< per cent, full width of the uniform laws
    int repetitions = 4;
    std::uint64_t seed = 0;
    std::size_t first = 0;  ///< of the functions
    std::size_t count = 200;
};

}  // namespace plimsoll::model::accuracy
