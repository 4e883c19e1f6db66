#include "plimsoll/checkpoint/manifest.hpp"

#include <gtest/gtest.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint {
namespace {

const Part part{.save = "abc-1",
                .step = 42,
                .rank = 1,
                .ranks = 2,
                .packs = {{.file = "pack-0001.0.safetensors",
                           .bytes = 8192,
                           .chunk_bytes = 4096,
                           .checksums = {1, ~0ULL}}},
                .arrays = {{.name = "field",
                            .type = ElementType::float64,
                            .owner = std::nullopt,
                            .block = {{4, 8}, {2, 0}, {2, 8}},
                            .pack = 0,
                            .at = 4096,
                            .bytes = 128},
                           {.name = "random state",
                            .type = ElementType::uint32,
                            .owner = 1,
                            .block = whole({2}),
                            .pack = 0,
                            .at = 4224,
                            .bytes = 8}}};

TEST(Part, ComesBackAsItWasWritten) {
    const Part read = read_part(to_json(part), "p");
    EXPECT_EQ(to_json(read), to_json(part));
    EXPECT_EQ(read.arrays[0].block, part.arrays[0].block);
    EXPECT_EQ(read.arrays[1].owner, 1U);
    EXPECT_EQ(read.packs[0].checksums, part.packs[0].checksums);
}

/// The message for a part in which one text stands for another.
std::string complaint(const std::string& from, const std::string& to) {
    std::string text = to_json(part);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    try {
        (void)read_part(text, "p");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "none";
}

TEST(Part, ThatCannotBeIsRefused) {
    EXPECT_EQ(complaint("\"at\":4096", "\"at\":8100"), "p: \"arrays\": \"field\" does not fit its place");
    EXPECT_EQ(complaint("\"bytes\":128", "\"bytes\":120"), "p: \"arrays\": \"field\" does not fit its place");
    EXPECT_EQ(complaint("\"offset\":[2,0]", "\"offset\":[3,0]"),
              "p: \"arrays\": \"field\" reaches out of its array");
    EXPECT_EQ(complaint("\"pack\":0", "\"pack\":1"), "p: \"arrays\": \"field\" lies in no pack");
    EXPECT_EQ(complaint("F64", "C64"), "p: \"arrays\": has elements of type 'C64'");
    EXPECT_EQ(complaint("pack-0001", "../pack-0001"),
              "p: \"packs\": \"../pack-0001.0.safetensors\" is not the name of a file here");
    EXPECT_EQ(complaint("\"rank\":1", "\"rank\":2"), "p: is of rank 2 of 2");
    EXPECT_EQ(complaint("\"rank\":1", "\"rank\":-1"), "p: 'rank' is not a whole number");
    EXPECT_EQ(complaint("\"rank\":1", "\"rank\":1.0"), "p: 'rank' is not a whole number");
    EXPECT_EQ(complaint(",\"step\":42", ""), "p: has no 'step'");
    EXPECT_EQ(complaint("0000000000000001", "000000000000001"),
              "p: \"packs\": \"000000000000001\" is not a checksum");
    EXPECT_EQ(complaint("{\"arrays\"", "[\"arrays\""), "p: is not a JSON object");
    const std::string deep(1'000'000, '[');
    EXPECT_EQ(complaint("\"step\":42", "\"step\":" + deep), "p: is nested too deeply");
}

TEST(Part, OfALaterVersionIsRefusedUnlessItOnlySaysMore) {
    EXPECT_EQ(
        complaint("checkpoint-part/1", "checkpoint-part/2"),
        "p: is of schema 'plimsoll.checkpoint-part/2', where 'plimsoll.checkpoint-part/1' is understood");
    EXPECT_EQ(complaint("\"requires\":[]", "\"requires\":[\"zstd\"]"),
              "p: requires 'zstd', which this version does not know");
    EXPECT_EQ(complaint("\"step\":42", "\"step\":42,\"mood\":\"good\""), "none");
}

TEST(CommitRecord, ComesBackAndFillsItsPage) {
    const CommitRecord record{.save = "abc-7",
                              .step = 42,
                              .sequence = 7,
                              .manifest_bytes = 321,
                              .manifest_checksum = 0x0123456789abcdef};
    const std::string text = to_text(record);
    EXPECT_EQ(text.size(), commit_bytes);
    const auto read = read_commit(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(to_text(*read), text);
}

TEST(CommitRecord, WithAnyBitFlippedIsNone) {
    const std::string text = to_text({.save = "abc-7", .step = 42, .sequence = 7, .manifest_bytes = 321});
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        std::string damaged = text;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        ASSERT_FALSE(read_commit(damaged)) << "bit " << bit;
    }
    for (std::size_t length = 0; length < text.size(); length += 13)
        ASSERT_FALSE(read_commit(text.substr(0, length)));
    EXPECT_FALSE(read_commit(text + " "));
    EXPECT_FALSE(read_commit(std::string(commit_bytes, '\0')));
    EXPECT_FALSE(read_commit("plimsoll checkpoint commit 1\nsave " + std::string(commit_bytes, 'x')));
}

}  // namespace
}  // namespace plimsoll::checkpoint
