#include "plimsoll/checkpoint/detail/checked_copy.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "plimsoll/checkpoint/detail/aligned_buffer.hpp"
#include "plimsoll/checkpoint/detail/checksum.hpp"

namespace plimsoll::checkpoint::detail {
namespace {

std::vector<std::byte> random_bytes(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    std::vector<std::byte> bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(draw());
    return bytes;
}

TEST(CheckedCopy, HasTheChecksumOfTheLibraryHoweverItIsCutIntoPieces) {
    std::mt19937_64 draw(1);
    // Around whole blocks of 1024 bytes, where sums are scrambled, and the last line, which has its own key.
    for (const std::size_t size : {256U, 320U, 1024U, 1088U, 2048U, 2112U, 4096U, 65536U, 1U << 20}) {
        SCOPED_TRACE(size);
        const std::vector<std::byte> source = random_bytes(size, size);
        const AlignedBuffer into(size);
        for (int attempt = 0; attempt < 20; ++attempt) {
            CheckedCopy copy(into.bytes().first(size));
            for (std::size_t at = 0; at < size;) {
                const std::size_t longest =
                    attempt == 0 ? size : std::max<std::size_t>(size >> (draw() % 10), 1);
                const std::size_t count = std::min(size - at, attempt == 0 ? size : draw() % longest + 1);
                copy.append(source.data() + at, count);
                at += count;
            }
            ASSERT_EQ(copy.finish(), checksum(std::span(source)));
            ASSERT_TRUE(std::equal(source.begin(), source.end(), into.bytes().begin()));
        }
    }
}

TEST(CheckedCopy, FillsGapsWithZeros) {
    constexpr std::size_t size = 4096;
    std::vector<std::byte> expected = random_bytes(size, 1);
    const AlignedBuffer into(size);
    std::fill(into.bytes().begin(), into.bytes().end(), std::byte{0xff});
    CheckedCopy copy(into.bytes());
    copy.append(expected.data(), 100);
    copy.append_zeros(28);
    copy.append(expected.data() + 128, 1000);
    copy.append_zeros(size - 1128);
    std::fill(expected.begin() + 100, expected.begin() + 128, std::byte{});
    std::fill(expected.begin() + 1128, expected.end(), std::byte{});
    EXPECT_EQ(copy.finish(), checksum(std::span<const std::byte>(expected)));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), into.bytes().begin()));
}

TEST(CopyPastCache, CopiesFromAndToAnyPlace) {
    const std::vector<std::byte> source = random_bytes(1024, 3);
    for (std::size_t from = 0; from < 70; from += 3) {
        for (std::size_t to = 0; to < 70; ++to) {
            for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 300U, 900U}) {
                std::vector<std::byte> into(1024, std::byte{7});
                std::vector<std::byte> expected = into;
                std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), size,
                            expected.begin() + static_cast<std::ptrdiff_t>(to));
                copy_past_cache(into.data() + to, source.data() + from, size);
                ASSERT_EQ(into, expected) << size << " bytes from " << from << " to " << to;
            }
        }
    }
}

}  // namespace
}  // namespace plimsoll::checkpoint::detail
