#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/detail/save_progress.hpp"
#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/pack.hpp"

namespace plimsoll::checkpoint::detail {

class LazyCopy;

/// One rank's share of a save on its way to the disk.
struct SaveJob {
    /// One file: its layout, and either a copy of all its bytes or the arrays themselves.
    struct Pack {
        PackPlan plan;
        std::vector<std::span<const std::byte>> sources;  ///< one for each tensor
        std::vector<bool> may_wait;                       ///< which of them may be copied later
        std::vector<std::uint64_t> checksums;             ///< of its chunks, where copying has taken them
    };
    std::string save;  ///< identity, the same on all ranks
    std::uint64_t step = 0;
    std::uint64_t sequence = 0;
    std::vector<Pack> packs;
    std::vector<AlignedBuffer> images;  ///< one for each pack; none where arrays are written as they are
    std::shared_ptr<LazyCopy> lazy;     ///< what is still being copied into the images; null: nothing
    /// Fills a range of a pack from where it has been written already; empty where it comes from memory.
    std::function<void(std::size_t pack, std::uint64_t begin, std::span<std::byte> into)> read;
    std::vector<StoredArray> arrays;
    std::optional<Part> part;  ///< what this rank has written of it, once it has
    std::string failure;       ///< why there is nothing to write
    std::shared_ptr<SaveProgress> progress;
};

/// Calls with what bytes `begin` to `end` of a pack consist of, in their order and without holes: so many
/// bytes at a place, or zeros where that is null.
void for_each_piece(const SaveJob::Pack& pack, std::uint64_t begin, std::uint64_t end,
                    const std::function<void(const std::byte* source, std::uint64_t size)>& call);

/// Copies bytes `begin` to `begin + into.size()` of a pack, the gaps between arrays as zeros.
void copy_pack(const SaveJob::Pack& pack, std::uint64_t begin, std::span<std::byte> into);

}  // namespace plimsoll::checkpoint::detail
