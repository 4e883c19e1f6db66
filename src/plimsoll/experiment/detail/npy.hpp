#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::experiment::detail {

/// An array in NumPy's file format, up to three dimensions: [repetitions x processes x threads].
struct NpyArray {
    std::vector<std::uint64_t> shape;  ///< empty for a single number
    std::vector<double> cells;         ///< row-major, whatever the order in the file

    /// Cells in the innermost rows; 1 for a list of repetitions.
    [[nodiscard]] std::uint64_t row_length() const { return shape.size() < 2 ? 1 : shape.back(); }
    [[nodiscard]] std::uint64_t repetitions() const { return shape.empty() ? 1 : shape.front(); }
};

/// Reads the array at the beginning of some bytes, which may go on behind it. Numbers of four and eight
/// bytes, whole or not, in little or big endian. Throws an input error for anything else. `array` keeps its
/// memory.
void read_npy(std::string_view bytes, const Place& place, NpyArray& array);

/// Length of an array of doubles in bytes.
[[nodiscard]] std::uint64_t npy_size(std::uint64_t cells);

/// Appends an array of doubles with one or two dimensions, row-major.
void append_npy(std::string& bytes, std::span<const std::uint64_t> shape, std::span<const double> cells);

}  // namespace plimsoll::experiment::detail
