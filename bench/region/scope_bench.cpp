// What does a region cost, beside the two clock readings in it?

#include <benchmark/benchmark.h>

#include <cstdint>

#include "plimsoll/region.hpp"

namespace {

/// Times the region costs that come, and checks that all of them were counted.
class Counting {
  public:
    explicit Counting(benchmark::State& state) : state_(state) {
        plimsoll_region_output("/dev/null");
        here_ = plimsoll_region_here();
        before_ = visits(here_);
    }
    void expect(std::uint64_t scopes) {
        if (visits(here_) - before_ != scopes) state_.SkipWithError("a region was not counted");
        state_.SetItemsProcessed(static_cast<std::int64_t>(scopes));
    }

  private:
    static std::uint64_t visits(const plimsoll_region_node* node) {
        std::uint64_t sum = 0;
        if (node->newest == nullptr) return sum;
        const plimsoll_region_node* child = node->newest;
        do {
            sum += child->counted[plimsoll_region_visits] + visits(child);
            child = child->next;
        } while (child != node->newest);
        return sum;
    }

    benchmark::State& state_;
    const plimsoll_region_node* here_ = nullptr;
    std::uint64_t before_ = 0;
};

/// Before any other, since what is on stays on.
void nothing_measured(benchmark::State& state) {
    plimsoll_region_output("");
    for (auto _ : state) {
        PLIMSOLL_REGION("scope");
    }
}
BENCHMARK(nothing_measured);

void two_clock_readings(benchmark::State& state) {
    const Counting counting(state);
    const int by_counter = plimsoll_region_this_thread()->by_counter;
    for (auto _ : state) {
        benchmark::DoNotOptimize(plimsoll_region_now(by_counter));
        benchmark::DoNotOptimize(plimsoll_region_now(by_counter));
    }
}
BENCHMARK(two_clock_readings);

void one_scope(benchmark::State& state) {
    Counting counting(state);
    for (auto _ : state) {
        PLIMSOLL_REGION("scope");
    }
    counting.expect(static_cast<std::uint64_t>(state.iterations()));
}
BENCHMARK(one_scope);

/// As in a program: nested, one after another, and not always the same; four regions each time.
void four_scopes(benchmark::State& state) {
    Counting counting(state);
    std::uint64_t step = 0;
    for (auto _ : state) {
        PLIMSOLL_REGION("step");
        {
            PLIMSOLL_REGION("solve");
            PLIMSOLL_REGION("exchange");
        }
        if (++step % 3 == 0) {
            PLIMSOLL_REGION("output");
        } else {
            PLIMSOLL_REGION("balance");
        }
    }
    counting.expect(4 * static_cast<std::uint64_t>(state.iterations()));
}
BENCHMARK(four_scopes);

}  // namespace
