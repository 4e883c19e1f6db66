#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll::experiment::detail {

enum class ByteOrder { native, swapped };

/// What becomes of the values of nodes that have the same call path, and of a node and those below it.
enum class CubeJoin { sum, minimum, maximum };

/// One row of data as it is stored: the values of all locations.
using CubeRow = const char*;

/// A type of values that Cube stores.
struct CubeValueType {
    std::string_view name;  ///< in anchor.xml
    std::size_t size;       ///< bytes
    CubeJoin join;
    /// Values of `row` without those of the rows below it, for each location. Counts of what was not negative
    /// do not become negative.
    void (*own_values)(CubeRow row, std::span<const CubeRow> below, ByteOrder order,
                       std::span<double> values);
};

/// The type of this name; null where its values are no single numbers, or where it is not known.
[[nodiscard]] const CubeValueType* find_cube_value_type(std::string_view name);

}  // namespace plimsoll::experiment::detail
