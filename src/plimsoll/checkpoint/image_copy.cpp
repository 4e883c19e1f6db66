#include "plimsoll/checkpoint/detail/image_copy.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "plimsoll/checkpoint/detail/checked_copy.hpp"
#include "plimsoll/checkpoint/detail/checksum.hpp"

namespace plimsoll::checkpoint::detail {

unsigned copying_threads() {
    constexpr unsigned most = 4;  // what it takes to fill the channels of a processor, as measured by STREAM
    cpu_set_t processors;
    if (::sched_getaffinity(0, sizeof(processors), &processors) != 0) return 1;
    return std::clamp(static_cast<unsigned>(CPU_COUNT(&processors)), 1U, most);
}

void in_parallel(std::uint64_t count, unsigned threads, const std::function<void(std::uint64_t)>& call) {
    std::atomic<std::uint64_t> next{0};
    const auto work = [&] {
        for (;;) {
            const std::uint64_t i = next.fetch_add(1);
            if (i >= count) return;
            call(i);
        }
    };
    std::vector<std::jthread> helpers;
    try {
        for (std::uint64_t t = 1; t < std::min<std::uint64_t>(threads, count); ++t)
            helpers.emplace_back(work);
    } catch (const std::system_error&) {
        // Those that there are do it.
    }
    work();
}

void fill_image(SaveJob::Pack& pack, std::span<std::byte> image, unsigned threads) {
    const std::uint64_t chunks = (image.size() + chunk_bytes - 1) / chunk_bytes;
    pack.checksums.resize(chunks);
    in_parallel(chunks, threads, [&](std::uint64_t i) {
        const std::uint64_t begin = i * chunk_bytes;
        const std::uint64_t end = std::min<std::uint64_t>(begin + chunk_bytes, image.size());
        CheckedCopy copy(image.subspan(begin, end - begin));
        for_each_piece(pack, begin, end, [&](const std::byte* source, std::uint64_t size) {
            if (source == nullptr) {
                copy.append_zeros(size);
            } else {
                copy.append(source, size);
            }
        });
        pack.checksums[i] = copy.finish();
    });
}

void fill_image_around(const SaveJob::Pack& pack, std::span<std::byte> image,
                       const std::vector<ByteRange>& skipped, unsigned threads) {
    std::vector<ByteRange> pieces;
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
        while (begin < end) {
            const std::uint64_t piece_end = std::min(end, begin + chunk_bytes);
            pieces.push_back({.begin = begin, .end = piece_end});
            begin = piece_end;
        }
    };
    std::uint64_t done = 0;
    for (const ByteRange& range : skipped) {
        add(done, range.begin);
        done = range.end;
    }
    add(done, image.size());
    std::uint64_t bytes = 0;
    for (const ByteRange& piece : pieces) bytes += piece.end - piece.begin;
    // Threads are not worth their making for the edges of arrays.
    in_parallel(pieces.size(), bytes > 2 * chunk_bytes ? threads : 1, [&](std::uint64_t i) {
        copy_pack(pack, pieces[i].begin, image.subspan(pieces[i].begin, pieces[i].end - pieces[i].begin));
    });
}

}  // namespace plimsoll::checkpoint::detail
