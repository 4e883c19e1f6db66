#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/detail/save_progress.hpp"
#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/pack.hpp"

namespace plimsoll::checkpoint::detail {

/// One rank's share of a save on its way to the disk.
struct SaveJob {
    /// One file: its layout, and either a copy of all its bytes or the arrays themselves.
    struct Pack {
        PackPlan plan;
        std::vector<std::span<const std::byte>> sources;  ///< one for each tensor
    };
    std::string save;  ///< identity, the same on all ranks
    std::uint64_t step = 0;
    std::uint64_t sequence = 0;
    std::vector<Pack> packs;
    std::vector<AlignedBuffer> images;  ///< one for each pack; none where arrays are written as they are
    /// Fills a range of a pack from where it has been written already; empty where it comes from memory.
    std::function<void(std::size_t pack, std::uint64_t begin, std::span<std::byte> into)> read;
    std::vector<StoredArray> arrays;
    Part part;            ///< what has been written, once it has
    std::string failure;  ///< why there is nothing to write
    std::shared_ptr<SaveProgress> progress;
};

/// Copies bytes `begin` to `begin + into.size()` of a pack, the gaps between arrays as zeros.
void copy_pack(const SaveJob::Pack& pack, std::uint64_t begin, std::span<std::byte> into);

}  // namespace plimsoll::checkpoint::detail
