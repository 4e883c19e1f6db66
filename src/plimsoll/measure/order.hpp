#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::measure {

/// In which order a block measures points 0 … count - 1, each once.
///
/// Random within the block, so that what drifts (a machine that warms up, a neighbour that comes and goes)
/// falls on all points alike; the same on every machine for the same seed and block.
[[nodiscard]] std::vector<std::size_t> block_order(std::size_t count, std::uint64_t seed, std::size_t block);

}  // namespace plimsoll::measure
