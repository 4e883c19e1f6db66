#pragma once

#include <utility>

#include "plimsoll/checkpoint/block.hpp"

namespace plimsoll::checkpoint {

/// How the array that a rank protects stands to those of other ranks under the same name.
struct Layout {
    enum class Kind {
        own,         ///< nothing to do with them: restored on the same rank of as many ranks
        replicated,  ///< the same on all ranks, each of which writes a share of it
        distributed  ///< a box of one array of all ranks: restored on any number of them
    };
    Kind kind = Kind::own;
    Block box;  ///< what this rank holds; all of it unless distributed

    [[nodiscard]] static Layout own(const Shape& shape) { return {Kind::own, whole(shape)}; }
    [[nodiscard]] static Layout replicated(const Shape& shape) { return {Kind::replicated, whole(shape)}; }
    /// A box of `shape`, which begins at `offset` of an array of the shape `global`.
    [[nodiscard]] static Layout distributed(Shape global, Shape offset, Shape shape) {
        return {Kind::distributed, {std::move(global), std::move(offset), std::move(shape)}};
    }
};

}  // namespace plimsoll::checkpoint
