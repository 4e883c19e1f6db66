#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plimsoll/checkpoint/detail/save_job.hpp"

namespace plimsoll::checkpoint::detail {

/// Threads that copying takes where the caller asks for none: the processors that this process may run on,
/// and no more than fill the memory's channels.
[[nodiscard]] unsigned copying_threads();

/// Calls with 0 to `count - 1` from so many threads, this one among them.
void in_parallel(std::uint64_t count, unsigned threads, const std::function<void(std::uint64_t)>& call);

/// Fills the image of a pack, and takes the checksums of its chunks on the way.
void fill_image(SaveJob::Pack& pack, std::span<std::byte> image, unsigned threads);

/// The same without those bytes of arrays that `skipped` names, which others fill in; no checksums.
struct ByteRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
void fill_image_around(const SaveJob::Pack& pack, std::span<std::byte> image,
                       const std::vector<ByteRange>& skipped, unsigned threads);

}  // namespace plimsoll::checkpoint::detail
