// How often reading JSON lines allocates: this program counts, and so stands alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "test/support/read_text.hpp"

namespace {

std::size_t allocation_count = 0;

// Not inlined: g++ would see free meet new.
[[gnu::noinline]] void* counted_memory(std::size_t size) noexcept {
    ++allocation_count;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

void* memory_or_throw(std::size_t size) {
    if (void* const memory = counted_memory(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return memory_or_throw(size); }
void* operator new[](std::size_t size) { return memory_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return counted_memory(size); }
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    return counted_memory(size);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { release(memory); }

namespace plimsoll::experiment {

// A line costs what it adds to the experiment and nothing else.
TEST(JsonLinesMemory, IsNotAllocatedForEachLine) {
    const std::string line =
        R"({"params": {"p": 4, "n": 10}, "callpath": "main->phase0->a kernel with a long name", )"
        R"("metric": "time", "value": [1.0, 2.0, 3.0], "note": "ignored"})"
        "\n";
    const auto allocations_of = [&](int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += line;
        const std::size_t before = allocation_count;
        (void)test::read_experiment(text);
        return allocation_count - before;
    };
    EXPECT_GT(allocations_of(1), 0U);
    EXPECT_LT(allocations_of(20000), allocations_of(10000) + 20);
}

}  // namespace plimsoll::experiment
