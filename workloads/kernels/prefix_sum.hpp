#pragma once

#include <cstdint>
#include <span>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// Sets sums[i] to values[0] + ... + values[i] modulo 2^64, `rounds` times over; returns the additions.
///
/// Two passes: each member adds up its part, one member turns the parts' sums into starting values,
/// and each member runs through its part again: 2 n / t + t steps a round on t threads.
std::uint64_t prefix_sum(const Team& team, std::span<const std::uint64_t> values,
                         std::span<std::uint64_t> sums, int rounds);

/// Whether neighbouring sums differ by the values.
[[nodiscard]] bool are_prefix_sums(std::span<const std::uint64_t> values,
                                   std::span<const std::uint64_t> sums);

}  // namespace plimsoll::kernels
