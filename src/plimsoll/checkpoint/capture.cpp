#include "plimsoll/checkpoint/detail/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "plimsoll/checkpoint/detail/fault_handler.hpp"
#include "plimsoll/checkpoint/detail/image_copy.hpp"
#include "plimsoll/checkpoint/detail/lazy_copy.hpp"
#include "plimsoll/checkpoint/pack.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

constexpr std::uint64_t largest_pack = std::uint64_t{64} << 30;  ///< bytes; a single array may be larger
constexpr std::uint64_t largest_header = 50'000'000;             ///< bytes; half of what readers allow
constexpr std::uint64_t shortest_lazy = std::uint64_t{1} << 20;  ///< bytes; less is copied sooner

/// A piece of an array that this rank writes.
struct Piece {
    StoredArray array;
    std::span<const std::byte> source;
    bool may_wait = false;  ///< may be copied later
};

/// What this rank writes of an item; `position` spreads small replicated arrays over the ranks.
std::optional<Piece> piece_of(const ProtectedArray& item, std::size_t position, const RankPosition& place) {
    const std::span<const std::byte> all = item.bytes();
    Piece piece{.array = {.name = item.name, .type = item.type, .block = item.layout.box},
                .source = all,
                // What can be resized may have moved by then.
                .may_wait = item.capture == Capture::lazy && !item.resize};
    if (item.resize) piece.array.block = whole({all.size() / size_of(item.type)});
    if (item.layout.kind == Layout::Kind::own) {
        if (place.ranks > 1) piece.array.owner = place.rank;
        return piece;
    }
    const Shape& global = piece.array.block.global;
    const bool is_first = (place.rank + position) % place.ranks == 0;
    if (item.layout.kind == Layout::Kind::replicated) {
        if (global.empty()) return is_first ? std::optional(piece) : std::nullopt;
        piece.array.block = rows_of(global, (place.rank + position) % place.ranks, place.ranks);
        const std::uint64_t row = all.empty() ? 0 : all.size() / global.front();
        piece.source =
            all.subspan(piece.array.block.offset.front() * row, piece.array.block.shape.front() * row);
    }
    // Someone must tell of an array without elements.
    const bool tells_of_it = is_first && element_count(global) == 0;
    if (element_count(piece.array.block.shape) == 0 && !tells_of_it) return std::nullopt;
    return piece;
}

void add_pack(SaveJob& job, std::size_t number, std::vector<Piece>& pieces, const RankPosition& place) {
    std::vector<Tensor> tensors;
    SaveJob::Pack pack;
    for (const Piece& piece : pieces) {
        tensors.push_back(
            {.name = piece.array.name, .type = piece.array.type, .shape = piece.array.block.shape});
        pack.sources.push_back(piece.source);
        pack.may_wait.push_back(piece.may_wait);
    }
    pack.plan = plan_pack(std::move(tensors), {{"format", "plimsoll.checkpoint/1"},
                                               {"step", fmt::format("{}", job.step)},
                                               {"rank", fmt::format("{} of {}", place.rank, place.ranks)}});
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        StoredArray array = std::move(pieces[i].array);
        array.pack = number;
        array.at = pack.plan.tensors[i].at;
        array.bytes = pack.plan.tensors[i].bytes;
        job.arrays.push_back(std::move(array));
    }
    job.packs.push_back(std::move(pack));
}

/// The whole pages within some memory: what lies beside them there is not the program's to protect.
std::span<const std::byte> whole_pages(std::span<const std::byte> bytes) {
    const std::uint64_t page = system_page_bytes();
    const std::uint64_t skipped = (page - reinterpret_cast<std::uintptr_t>(bytes.data()) % page) % page;
    if (bytes.size() <= skipped) return {};
    return bytes.subspan(skipped, (bytes.size() - skipped) / page * page);
}

/// A range of an image that is filled later.
struct LazyRange {
    LazyCopy::Range memory;
    std::size_t pack = 0;
    ByteRange place;  ///< in the pack
};

/// Ranges by their place in memory. Where two arrays share some of it, one of them is copied at once.
std::vector<LazyRange> lazy_ranges(const SaveJob& job) {
    std::vector<LazyRange> all;
    for (std::size_t p = 0; p < job.packs.size(); ++p) {
        const SaveJob::Pack& pack = job.packs[p];
        for (std::size_t i = 0; i < pack.sources.size(); ++i) {
            const std::span<const std::byte> pages = whole_pages(pack.sources[i]);
            if (!pack.may_wait[i] || pages.size() < shortest_lazy) continue;
            const std::uint64_t begin =
                pack.plan.tensors[i].at + static_cast<std::uint64_t>(pages.data() - pack.sources[i].data());
            all.push_back({.memory = {.source = pages, .into = job.images[p].bytes().data() + begin},
                           .pack = p,
                           .place = {.begin = begin, .end = begin + pages.size()}});
        }
    }
    std::sort(all.begin(), all.end(), [](const LazyRange& a, const LazyRange& b) {
        return a.memory.source.data() < b.memory.source.data();
    });
    std::vector<LazyRange> apart;
    for (const LazyRange& range : all) {
        const bool is_apart =
            apart.empty() || apart.back().memory.source.data() + apart.back().memory.source.size() <=
                                 range.memory.source.data();
        if (is_apart) apart.push_back(range);
    }
    return apart;
}

void fill_images(SaveJob& job, unsigned threads) {
    const std::vector<LazyRange> lazy = lazy_ranges(job);
    std::vector<LazyCopy::Range> memory;
    for (const LazyRange& range : lazy) {
        memory.push_back(range.memory);
        const std::byte* const begin = range.memory.source.data();
        finish_copies_of(begin, begin + range.memory.source.size());
    }
    if (!memory.empty()) job.lazy = std::make_shared<LazyCopy>(std::move(memory));
    for (std::size_t p = 0; p < job.packs.size(); ++p) {
        const std::span<std::byte> image = job.images[p].bytes().first(job.packs[p].plan.bytes);
        std::vector<ByteRange> later;
        for (const LazyRange& range : lazy) {
            if (range.pack == p) later.push_back(range.place);
        }
        if (later.empty()) {
            fill_image(job.packs[p], image, threads);
            continue;
        }
        std::sort(later.begin(), later.end(),
                  [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
        fill_image_around(job.packs[p], image, later, threads);
    }
}

}  // namespace

bool capture(SaveJob& job, const std::vector<ProtectedArray>& arrays, const RankPosition& place,
             StagingPool& pool, const CaptureOptions& options) {
    std::vector<std::vector<Piece>> packs;
    std::uint64_t bytes = 0;
    std::uint64_t header = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        auto piece = piece_of(arrays[i], i, place);
        if (!piece) continue;
        const std::uint64_t entry =
            header_bytes({.name = piece->array.name, .shape = piece->array.block.shape});
        if (packs.empty() || bytes + piece->source.size() > largest_pack || header + entry > largest_header) {
            packs.emplace_back();
            bytes = 0;
            header = 0;
        }
        bytes += piece->source.size();
        header += entry;
        packs.back().push_back(std::move(*piece));
    }
    for (std::size_t p = 0; p < packs.size(); ++p) add_pack(job, p, packs[p], place);
    std::vector<std::uint64_t> sizes;
    std::uint64_t all = 0;
    for (const SaveJob::Pack& pack : job.packs) {
        sizes.push_back(pack.plan.bytes);
        all += pack.plan.bytes;
    }
    pool.set_budget(options.memory.value_or(2 * all + 2 * sizes.size() * page_bytes));
    job.images = pool.take(sizes);
    if (job.images.empty()) return sizes.empty();
    fill_images(job, options.threads);
    return true;
}

void fill(const ProtectedArray& item, SavedState& state, const RankPosition& place) {
    const auto found = state.find(item.name, place.rank);
    if (!found) {
        const auto near = nearest(item.name, state.array_names());
        throw Error(ErrorKind::usage,
                    fmt::format("the save of step {} holds no array '{}'", state.step(), item.name),
                    near ? fmt::format("did you mean '{}'?", *near) : "restore without protecting it");
    }
    if (found->type != item.type) {
        throw Error(ErrorKind::usage,
                    fmt::format("array '{}' was saved as {}, and is {} here", item.name,
                                enum_name(found->type), enum_name(item.type)),
                    "protect it with the type that it was saved with");
    }
    if (found->is_own && state.ranks() != place.ranks) {
        throw Error(ErrorKind::usage,
                    fmt::format("array '{}' belongs to each of {} ranks for itself, and here are {}",
                                item.name, state.ranks(), place.ranks),
                    "start as many ranks, or protect it as replicated or distributed");
    }
    Block box = item.layout.box;
    if (item.resize) {
        if (found->shape.size() != 1)
            throw Error(ErrorKind::usage,
                        fmt::format("array '{}' was saved with a shape of {}, and is a list here", item.name,
                                    shape_text(found->shape)),
                        "protect it with the shape that it was saved with");
        item.resize(found->shape.front());
        box = whole(found->shape);
    }
    if (found->shape != box.global) {
        throw Error(ErrorKind::usage,
                    fmt::format("array '{}' was saved with a shape of {}, and has {} here", item.name,
                                shape_text(found->shape), shape_text(box.global)),
                    "restore with the sizes that the save was made with");
    }
    state.read(item.name, place.rank, box, item.bytes());
}

}  // namespace plimsoll::checkpoint::detail
