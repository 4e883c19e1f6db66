#include "plimsoll/checkpoint/block.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {
namespace {

/// All elements of a box, each with its position in the whole array and in the box: the slow way.
std::map<std::uint64_t, std::uint64_t> elements_of(const Block& box) {
    std::map<std::uint64_t, std::uint64_t> result;
    for (std::uint64_t i = 0; i < element_count(box.shape); ++i) {
        std::uint64_t rest = i;
        std::uint64_t whole_position = 0;
        Shape at(box.shape.size());
        for (std::size_t k = box.shape.size(); k-- > 0;) {
            at[k] = box.offset[k] + rest % box.shape[k];
            rest /= box.shape[k];
        }
        for (std::size_t k = 0; k < at.size(); ++k) whole_position = whole_position * box.global[k] + at[k];
        result[whole_position] = i;
    }
    return result;
}

Block random_box(const Shape& global, std::mt19937_64& random) {
    Block box{.global = global};
    for (const std::uint64_t extent : global) {
        const std::uint64_t offset = random() % extent;
        box.offset.push_back(offset);
        box.shape.push_back(1 + random() % (extent - offset));
    }
    return box;
}

TEST(Block, RunsJoinTheSameElementsAsTheSlowWay) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 500; ++round) {
        Shape global;
        for (std::uint64_t k = random() % 4; k-- > 0;) global.push_back(1 + random() % 6);
        const Block from = random_box(global, random);
        const Block to = random_box(global, random);
        std::map<std::uint64_t, std::uint64_t> joined;
        each_stretch(from, to, [&](const Stretch& stretch) {
            for (std::uint64_t i = 0; i < stretch.count; ++i)
                EXPECT_TRUE(joined.emplace(stretch.from + i, stretch.to + i).second)
                    << "an element came twice";
        });
        std::map<std::uint64_t, std::uint64_t> expected;
        const auto there = elements_of(to);
        for (const auto& [position, i] : elements_of(from)) {
            if (const auto found = there.find(position); found != there.end()) expected[i] = found->second;
        }
        EXPECT_EQ(joined, expected);
    }
}

TEST(Block, RunsAreAsLongAsTheyCanBe) {
    const Block all = whole({4, 5, 6});
    int runs = 0;
    each_stretch(all, all, [&](const Stretch& stretch) {
        EXPECT_EQ(stretch.count, 120U);
        ++runs;
    });
    EXPECT_EQ(runs, 1);
}

TEST(Block, SharesOfRowsMakeUpTheWhole) {
    for (const std::uint64_t rows : {0U, 1U, 3U, 7U, 8U}) {
        for (const std::uint64_t parts : {1U, 2U, 4U, 5U}) {
            std::vector<Block> shares;
            for (std::uint64_t part = 0; part < parts; ++part)
                shares.push_back(rows_of({rows, 3}, part, parts));
            EXPECT_EQ(gap_or_overlap(shares), std::nullopt) << rows << " rows in " << parts;
        }
    }
}

TEST(Block, GapsAndOverlapsAreNamed) {
    const Shape global{4, 4};
    const Block upper{global, {0, 0}, {2, 4}};
    EXPECT_EQ(gap_or_overlap({upper, {global, {2, 0}, {2, 4}}}), std::nullopt);
    EXPECT_EQ(gap_or_overlap({upper, {global, {2, 0}, {2, 3}}}), "ranks hold 14 of its 16 elements");
    EXPECT_EQ(gap_or_overlap({upper, {global, {1, 1}, {3, 3}}}),
              "two ranks hold its elements from [1, 1] on");
    EXPECT_EQ(gap_or_overlap({upper, {{4, 5}, {2, 0}, {2, 4}}}), "ranks give it shapes [4, 4] and [4, 5]");
}

TEST(Block, TooLargeAShapeIsRefused) {
    EXPECT_EQ(element_count({std::uint64_t{1} << 40, std::uint64_t{1} << 40, 0}), 0U);
    EXPECT_THROW((void)element_count({std::uint64_t{1} << 40, std::uint64_t{1} << 40}), Error);
    EXPECT_FALSE(is_inside({{4}, {2}, {3}}));
    EXPECT_FALSE(is_inside({{4}, {1}, {~std::uint64_t{0}}}));
}

}  // namespace
}  // namespace plimsoll::checkpoint
