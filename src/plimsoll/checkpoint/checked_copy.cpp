#include "plimsoll/checkpoint/detail/checked_copy.hpp"

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's switch
#include <xxhash.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/core/error.hpp"

// What reads memory that another thread writes to afterwards: its write waits for a page fault, which thread
// sanitizers know nothing of.
#define PLIMSOLL_UNWATCHED __attribute__((no_sanitize("thread")))

namespace plimsoll::checkpoint::detail {

namespace {

// The long form of XXH3 (xxHash, doc/xxhash_spec.md): each line of 64 bytes is added to eight sums under a
// key that moves on by 8 bytes a line, and after 16 lines the sums are scrambled. The last line has a key of
// its own.
constexpr std::uint64_t lines_in_block = 16;
constexpr std::uint64_t key_step = 8;        ///< bytes
constexpr std::uint64_t scramble_key = 128;  ///< offset in the secret
constexpr std::uint64_t last_key = 121;
constexpr std::uint64_t merge_key = 11;

#ifdef __SSE2__

/// Two of the eight in each register; what std::array is not made for.
struct Sums {
    static constexpr std::size_t count = 4;
    __m128i pairs[count];
    [[nodiscard]] __m128i& operator[](std::size_t i) { return pairs[i]; }
    [[nodiscard]] const __m128i& operator[](std::size_t i) const { return pairs[i]; }
};

__m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

Sums load_sums(const std::array<std::uint64_t, 8>& sums) {
    Sums loaded;
    for (std::size_t i = 0; i < Sums::count; ++i) loaded[i] = load(&sums[2 * i]);
    return loaded;
}

void store_sums(const Sums& loaded, std::array<std::uint64_t, 8>& sums) {
    for (std::size_t i = 0; i < Sums::count; ++i)
        _mm_store_si128(reinterpret_cast<__m128i*>(&sums[2 * i]), loaded[i]);
}

__m128i added(__m128i sum, __m128i data, __m128i key) {
    const __m128i keyed = _mm_xor_si128(data, key);
    const __m128i product = _mm_mul_epu32(keyed, _mm_srli_epi64(keyed, 32));
    const __m128i swapped = _mm_shuffle_epi32(data, _MM_SHUFFLE(1, 0, 3, 2));
    return _mm_add_epi64(_mm_add_epi64(sum, swapped), product);
}

void scramble(Sums& sums) {
    const __m128i prime = _mm_set1_epi32(static_cast<int>(XXH_PRIME32_1));
    for (std::size_t i = 0; i < Sums::count; ++i) {
        const __m128i folded = _mm_xor_si128(sums[i], _mm_srli_epi64(sums[i], 47));
        const __m128i keyed = _mm_xor_si128(folded, load(XXH3_kSecret + scramble_key + 16 * i));
        const __m128i high = _mm_mul_epu32(_mm_srli_epi64(keyed, 32), prime);
        sums[i] = _mm_add_epi64(_mm_mul_epu32(keyed, prime), _mm_slli_epi64(high, 32));
    }
}

/// Copies one line and adds it to the sums under the key at an offset of the secret.
void take_line(std::byte* into, const std::byte* source, std::uint64_t key, Sums& sums) {
    for (std::size_t i = 0; i < Sums::count; ++i) {
        const __m128i data = load(source + 16 * i);
        _mm_stream_si128(reinterpret_cast<__m128i*>(into + 16 * i), data);
        sums[i] = added(sums[i], data, load(XXH3_kSecret + key + 16 * i));
    }
}

#endif

}  // namespace

CheckedCopy::CheckedCopy(std::span<std::byte> into) : into_(into), sums_(XXH3_INIT_ACC), begun_{} {
    constexpr std::uint64_t shortest = 256;
    PLIMSOLL_EXPECT(into.size() % line_bytes == 0 && into.size() >= shortest);
    PLIMSOLL_EXPECT(reinterpret_cast<std::uintptr_t>(into.data()) % line_bytes == 0);
}

void CheckedCopy::append_lines(const std::byte* source, std::uint64_t lines) {
#ifdef __SSE2__
    const std::uint64_t last = into_.size() / line_bytes - 1;
    Sums sums = load_sums(sums_);
    std::byte* into = into_.data() + line_ * line_bytes;
    for (const std::uint64_t end = line_ + lines; line_ < end; ++line_) {
        const std::uint64_t in_block = line_ % lines_in_block;
        take_line(into, source, line_ == last ? last_key : key_step * in_block, sums);
        if (in_block == lines_in_block - 1 && line_ != last) scramble(sums);
        into += line_bytes;
        source += line_bytes;
    }
    store_sums(sums, sums_);
#else
    std::memcpy(into_.data() + line_ * line_bytes, source, lines * line_bytes);
    line_ += lines;
#endif
}

void CheckedCopy::append(const std::byte* source, std::uint64_t size) {
    PLIMSOLL_EXPECT(line_ * line_bytes + begun_bytes_ + size <= into_.size());
    if (begun_bytes_ > 0) {
        const std::uint64_t part = std::min(line_bytes - begun_bytes_, size);
        std::memcpy(begun_.data() + begun_bytes_, source, part);
        begun_bytes_ += part;
        source += part;
        size -= part;
        if (begun_bytes_ < line_bytes) return;
        append_lines(begun_.data(), 1);
        begun_bytes_ = 0;
    }
    append_lines(source, size / line_bytes);
    begun_bytes_ = size % line_bytes;
    if (begun_bytes_ > 0) std::memcpy(begun_.data(), source + (size - begun_bytes_), begun_bytes_);
}

void CheckedCopy::append_zeros(std::uint64_t size) {
    static constexpr std::array<std::byte, line_bytes> zeros{};
    for (; size > 0; size -= std::min(line_bytes, size)) append(zeros.data(), std::min(line_bytes, size));
}

std::uint64_t CheckedCopy::finish() {
    PLIMSOLL_EXPECT(line_ * line_bytes == into_.size());
#ifdef __SSE2__
    _mm_sfence();
    return XXH3_mergeAccs(sums_.data(), XXH3_kSecret + merge_key, into_.size() * XXH_PRIME64_1);
#else
    return checksum(into_);
#endif
}

PLIMSOLL_UNWATCHED void copy_past_cache(std::byte* into, const std::byte* source,
                                        std::uint64_t size) noexcept {
    // Loops of single bytes: a call of memcpy would be watched.
    const auto copy_bytes = [&](std::uint64_t count) PLIMSOLL_UNWATCHED {
        for (std::uint64_t i = 0; i < count; ++i) {
            into[i] = source[i];
            asm volatile("" ::: "memory");  // keeps it a loop
        }
        into += count;
        source += count;
        size -= count;
    };
    constexpr std::uint64_t line = 64;
    copy_bytes(std::min(size, (line - reinterpret_cast<std::uintptr_t>(into) % line) % line));
#ifdef __SSE2__
    for (; size >= line; size -= line) {
        for (std::uint64_t i = 0; i < line; i += 16)
            _mm_stream_si128(reinterpret_cast<__m128i*>(into + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
        into += line;
        source += line;
    }
    _mm_sfence();
#else
    for (; size >= line; size -= line) {
        std::array<std::uint64_t, line / sizeof(std::uint64_t)> words;
        __builtin_memcpy(words.data(), source, line);
        __builtin_memcpy(into, words.data(), line);
        into += line;
        source += line;
    }
#endif
    copy_bytes(size);
}

}  // namespace plimsoll::checkpoint::detail
