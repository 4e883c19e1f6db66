#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// Sorts each row of `values` ([rows x length], row-major) and returns the comparisons made.
///
/// Each member sorts its part of every row by top-down merge sort; then the parts are merged
/// pairwise, each merge of one row by one member. About rows * length * log2(length) comparisons
/// on any number of threads. `scratch` is as large as `values`.
std::uint64_t sort_rows(const Team& team, std::span<std::uint64_t> values, std::span<std::uint64_t> scratch,
                        std::size_t length);

/// Whether each row of `sorted` ascends and holds what the same row of `original` holds, as far as
/// two checksums of the values can tell.
[[nodiscard]] bool rows_are_sorted(std::span<const std::uint64_t> sorted,
                                   std::span<const std::uint64_t> original, std::size_t length);

}  // namespace plimsoll::kernels
