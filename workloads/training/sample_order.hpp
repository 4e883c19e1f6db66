#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::training_workload {

/// The numbers from 0 to `size` in the random order of an epoch, the same on all ranks.
[[nodiscard]] std::vector<std::uint64_t> epoch_order(std::size_t size, std::uint64_t seed, std::size_t epoch);

/// Which of several ranks.
struct Place {
    std::size_t rank = 0;
    std::size_t ranks = 1;
};

/// What a rank takes of an epoch's order in one step: ranks take their batches one behind the other, so that
/// together they see the images that one rank with the batch of all would see. Fewer than `batch`, or none,
/// where the order ends.
[[nodiscard]] std::span<const std::uint64_t> share_of(std::span<const std::uint64_t> order, std::size_t step,
                                                      std::size_t batch, Place place);

}  // namespace plimsoll::training_workload
