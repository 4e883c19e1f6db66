#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::checkpoint {

/// Elements along each dimension, the slowest first (row-major). No dimension: one element.
using Shape = std::vector<std::uint64_t>;

/// Elements of a shape. Throws an input error where they are more than 64 bits can count.
[[nodiscard]] std::uint64_t element_count(const Shape& shape);

/// "[4, 8]".
[[nodiscard]] std::string shape_text(const Shape& shape);

/// A box of a larger array: what one rank holds of it.
struct Block {
    Shape global;  ///< of the whole array
    Shape offset;  ///< of the box's first element, as many dimensions as `global`
    Shape shape;   ///< of the box

    friend bool operator==(const Block&, const Block&) = default;
};

/// All of an array.
[[nodiscard]] Block whole(const Shape& shape);

/// Share `part` of `parts` of an array, in whole rows of its first dimension, of which there must be one.
/// Shares follow each other and differ by one row at most; some are empty where there are fewer rows.
[[nodiscard]] Block rows_of(const Shape& shape, std::uint64_t part, std::uint64_t parts);

/// Whether the box lies within the array.
[[nodiscard]] bool is_inside(const Block& block);

/// What two boxes of the same array have in common; empty where that is nothing.
[[nodiscard]] std::optional<Block> common_part(const Block& a, const Block& b);

/// Elements that lie behind each other in two boxes alike.
struct Stretch {
    std::uint64_t from;   ///< element of the first box
    std::uint64_t to;     ///< element of the second box
    std::uint64_t count;  ///< elements
};

/// Visits what two boxes of the same array have in common, in the longest stretches, in the order of the
/// first box.
void each_stretch(const Block& from, const Block& to, const std::function<void(const Stretch&)>& visit);

/// Whether boxes of one array are disjoint and leave nothing out; else what is wrong, in words.
[[nodiscard]] std::optional<std::string> gap_or_overlap(const std::vector<Block>& blocks);

}  // namespace plimsoll::checkpoint
