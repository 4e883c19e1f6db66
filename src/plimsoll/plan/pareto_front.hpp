#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll::plan {

/// What is good of a configuration the smaller it is.
struct Tradeoff {
    double time = 0.0;
    double cost = 0.0;
    std::size_t id = 0;
};

/// Those that no other beats in one and equals in the other, by rising time and falling cost; of equal ones
/// the one with the least id. O(n log n).
[[nodiscard]] std::vector<Tradeoff> pareto_front(std::vector<Tradeoff> all);

/// Position in a front of the point where a longer time begins to save little: the one that lies farthest
/// below the straight line between both ends, where both axes are logarithms and the ends 0 and 1. Empty
/// where no point lies below that line, as with fewer than three, or where a value is not above zero.
///
/// Logarithms, since half the time for twice the cost is a fair deal at any size: that is the line. Source of
/// the distance from the chord: Satopaa, Albrecht, Irwin, Raghavan, "Finding a 'kneedle' in a haystack",
/// ICDCS workshops 2011, there on linear axes.
[[nodiscard]] std::optional<std::size_t> knee_of(std::span<const Tradeoff> front);

}  // namespace plimsoll::plan
