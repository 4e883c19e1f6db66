#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace plimsoll::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class Work>
double seconds_of(Work&& work) {
    const Clock::time_point begin = Clock::now();
    work();
    return seconds_since(begin);
}

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

enum class Pages { small, large };

/// A program's memory, all of it touched: numbers that no compression or comparison of zeros makes easier.
class Memory {
  public:
    explicit Memory(std::size_t bytes, Pages pages = Pages::large) {
        void* const memory =
            ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        all_ = {static_cast<std::byte*>(memory), bytes + slack};
        ::madvise(memory, all_.size(), pages == Pages::large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        const std::uint64_t skipped = slack - reinterpret_cast<std::uintptr_t>(memory) % slack;
        bytes_ = all_.subspan(skipped, bytes);
        rewrite(1);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { ::munmap(all_.data(), all_.size()); }

    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
    [[nodiscard]] std::span<std::uint64_t> words() const {
        return {reinterpret_cast<std::uint64_t*>(bytes_.data()), bytes_.size() / 8};
    }
    /// What a step of a program does to it at the least: each word is written.
    void rewrite(std::uint64_t seed) const {
        std::uint64_t value = seed * 0x9E3779B97F4A7C15U;
        for (std::uint64_t& word : words()) word = value += 0x9E3779B97F4A7C15U;
    }

  private:
    static constexpr std::uint64_t slack = std::uint64_t{2} << 20;  ///< for a large page's boundary
    std::span<std::byte> all_;
    std::span<std::byte> bytes_;
};

/// memcpy of equal shares from so many threads.
inline void parallel_memcpy(std::span<std::byte> into, std::span<const std::byte> from, unsigned threads) {
    const std::size_t share = from.size() / threads;
    std::vector<std::jthread> helpers;
    for (unsigned t = 1; t < threads; ++t)
        helpers.emplace_back([=] { std::memcpy(into.data() + t * share, from.data() + t * share, share); });
    std::memcpy(into.data(), from.data(), share);
}

}  // namespace plimsoll::bench
