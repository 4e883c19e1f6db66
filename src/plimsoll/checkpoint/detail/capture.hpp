#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plimsoll/checkpoint/detail/save_job.hpp"
#include "plimsoll/checkpoint/detail/staging_pool.hpp"
#include "plimsoll/checkpoint/protected_array.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"

namespace plimsoll::checkpoint::detail {

/// Which of how many ranks.
struct RankPosition {
    std::uint64_t rank = 0;
    std::uint64_t ranks = 1;
};

struct CaptureOptions {
    std::optional<std::uint64_t> memory;  ///< bytes that copies may take; empty: two copies of the arrays
    unsigned threads = 1;                 ///< that copy
};

/// Lays out this rank's packs and copies its share of the arrays into them, or protects what is captured
/// lazily; copies of that which are under way must be finished. False where the arrays are too large for
/// that, and are to be written as they are.
[[nodiscard]] bool capture(SaveJob& job, const std::vector<ProtectedArray>& arrays, const RankPosition& place,
                           StagingPool& pool, const CaptureOptions& options);

/// Fills an array from a save. Throws a usage error where it was saved otherwise than it is protected now.
void fill(const ProtectedArray& item, SavedState& state, const RankPosition& place);

}  // namespace plimsoll::checkpoint::detail
