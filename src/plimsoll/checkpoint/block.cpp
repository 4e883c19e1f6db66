#include "plimsoll/checkpoint/block.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {

namespace {

/// Position of an element in a box, in elements, row-major.
std::uint64_t position(const Shape& at, const Block& box) {
    std::uint64_t result = 0;
    for (std::size_t k = 0; k < at.size(); ++k) result = result * box.shape[k] + (at[k] - box.offset[k]);
    return result;
}

}  // namespace

std::uint64_t element_count(const Shape& shape) {
    std::uint64_t count = 1;
    // A zero anywhere makes it empty, however large the others are.
    if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
    for (const std::uint64_t extent : shape) {
        if (__builtin_mul_overflow(count, extent, &count))
            throw Error(ErrorKind::input,
                        fmt::format("a shape of {} has too many elements", shape_text(shape)),
                        "check the shape");
    }
    return count;
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Block whole(const Shape& shape) {
    return {.global = shape, .offset = Shape(shape.size(), 0), .shape = shape};
}

Block rows_of(const Shape& shape, std::uint64_t part, std::uint64_t parts) {
    PLIMSOLL_EXPECT(!shape.empty() && part < parts);
    Block block = whole(shape);
    const std::uint64_t rows = shape.front();
    const std::uint64_t each = rows / parts;
    const std::uint64_t longer = rows % parts;  // the first shares have one row more
    block.offset.front() = part * each + std::min(part, longer);
    block.shape.front() = each + (part < longer ? 1 : 0);
    return block;
}

bool is_inside(const Block& block) {
    if (block.offset.size() != block.global.size() || block.shape.size() != block.global.size()) return false;
    for (std::size_t k = 0; k < block.global.size(); ++k) {
        if (block.offset[k] > block.global[k] || block.shape[k] > block.global[k] - block.offset[k])
            return false;
    }
    return true;
}

std::optional<Block> common_part(const Block& a, const Block& b) {
    PLIMSOLL_EXPECT(a.global == b.global);
    Block common = a;
    for (std::size_t k = 0; k < a.global.size(); ++k) {
        const std::uint64_t begin = std::max(a.offset[k], b.offset[k]);
        const std::uint64_t end = std::min(a.offset[k] + a.shape[k], b.offset[k] + b.shape[k]);
        if (begin >= end) return std::nullopt;
        common.offset[k] = begin;
        common.shape[k] = end - begin;
    }
    return common;
}

void each_stretch(const Block& from, const Block& to, const std::function<void(const Stretch&)>& visit) {
    const auto common = common_part(from, to);
    if (!common) return;
    const std::size_t dimensions = common->shape.size();
    // Trailing dimensions that fill both boxes make one stretch with the dimension before them.
    std::size_t inner = dimensions;
    std::uint64_t count = 1;
    while (inner > 0) {
        --inner;
        count *= common->shape[inner];
        if (common->shape[inner] != from.shape[inner] || common->shape[inner] != to.shape[inner]) break;
    }
    Shape at = common->offset;
    for (;;) {
        visit({.from = position(at, from), .to = position(at, to), .count = count});
        std::size_t k = inner;
        while (k > 0) {
            --k;
            if (++at[k] < common->offset[k] + common->shape[k]) break;
            at[k] = common->offset[k];
            if (k == 0) return;
        }
        if (inner == 0) return;
    }
}

std::optional<std::string> gap_or_overlap(const std::vector<Block>& blocks) {
    std::vector<const Block*> filled;
    std::uint64_t elements = 0;
    for (const Block& block : blocks) {
        if (block.global != blocks.front().global)
            return fmt::format("ranks give it shapes {} and {}", shape_text(blocks.front().global),
                               shape_text(block.global));
        if (const std::uint64_t count = element_count(block.shape); count > 0) {
            filled.push_back(&block);
            elements += count;
        }
    }
    const auto begin = [](const Block& block) { return block.offset.empty() ? 0 : block.offset.front(); };
    const auto end = [&](const Block& block) {
        return begin(block) + (block.shape.empty() ? 1 : block.shape.front());
    };
    std::sort(filled.begin(), filled.end(),
              [&](const Block* a, const Block* b) { return begin(*a) < begin(*b); });
    // Only boxes that share rows of the first dimension can overlap.
    for (std::size_t i = 0; i < filled.size(); ++i) {
        for (std::size_t j = i + 1; j < filled.size() && begin(*filled[j]) < end(*filled[i]); ++j) {
            if (const auto common = common_part(*filled[i], *filled[j]))
                return fmt::format("two ranks hold its elements from {} on", shape_text(common->offset));
        }
    }
    const std::uint64_t all = blocks.empty() ? 0 : element_count(blocks.front().global);
    if (elements != all) return fmt::format("ranks hold {} of its {} elements", elements, all);
    return std::nullopt;
}

}  // namespace plimsoll::checkpoint
