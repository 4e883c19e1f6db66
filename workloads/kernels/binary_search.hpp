#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// Sets positions[q] to where queries[q] belongs in the ascending `table`, i.e. before the first
/// value not less than it; queries split over the team. Returns the comparisons, about log2(table
/// size) a query.
std::uint64_t find_positions(const Team& team, std::span<const std::uint64_t> table,
                             std::span<const std::uint64_t> queries, std::span<std::size_t> positions);

/// Whether each query stands after all smaller values and before all others.
[[nodiscard]] bool are_positions(std::span<const std::uint64_t> table, std::span<const std::uint64_t> queries,
                                 std::span<const std::size_t> positions);

}  // namespace plimsoll::kernels
