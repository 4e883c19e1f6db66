#pragma once

#include <cstdint>
#include <span>

namespace plimsoll::kernels {

/// State of a linear congruential generator after `steps` steps, taken one by one: cost that depends
/// on neither problem size nor threads. Constants: Knuth's MMIX.
[[nodiscard]] std::uint64_t walk(std::uint64_t state, std::uint64_t steps);

/// The same state in log2(steps) steps.
///
/// Source: Brown, "Random number generation with arbitrary strides", Transactions of the
/// American Nuclear Society 71, 1994.
[[nodiscard]] std::uint64_t jump(std::uint64_t state, std::uint64_t steps);

/// Polynomial checksum modulo 2^64, by Horner's rule from the first value on: serial by nature.
[[nodiscard]] std::uint64_t digest(std::span<const std::uint64_t> values);

/// The same checksum from the last value on, by powers.
[[nodiscard]] std::uint64_t digest_by_powers(std::span<const std::uint64_t> values);

}  // namespace plimsoll::kernels
