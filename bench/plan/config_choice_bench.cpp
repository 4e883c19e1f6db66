// How does the time to choose a configuration grow with the configurations there are, predictions left aside?

#include <benchmark/benchmark.h>

#include <cmath>

#include "plimsoll/plan/config_choice.hpp"
#include "plimsoll/plan/sensitivity.hpp"

namespace plimsoll::plan {
namespace {

/// A run of n / p hours with an overhead of log2(p) minutes, on up to `points` / 100 processes of 100 sizes.
Predictions predictions(std::size_t points) {
    Predictions result;
    result.grid.values.resize(2);
    for (std::size_t i = 0; i < points / 100; ++i)
        result.grid.values[0].push_back(1.0 + static_cast<double>(i));
    for (int i = 0; i < 100; ++i) result.grid.values[1].push_back(1.0 + i);
    for (const double p : result.grid.values[0]) {
        for (const double n : result.grid.values[1]) {
            const double time = 3600.0 * n / p + 60.0 * std::log2(p);
            result.time.push_back(time);
            result.longest.push_back(1.05 * time);
            result.efficiency.push_back(3600.0 * n / p / time);
        }
    }
    return result;
}

Machine machine() {
    return {.name = "cpu",
            .processes_per_node = 64.0,
            .price = Price{.value = 2.4, .currency = "EUR", .per = CostKind::node_hours},
            .granularity = Seconds(60.0)};
}

void choice(benchmark::State& state) {
    const Predictions all = predictions(static_cast<std::size_t>(state.range(0)));
    const Limits limits{.deadline = Seconds(7200.0),
                        .budgets = {{.kind = CostKind::money, .value = 50.0, .currency = "EUR"}}};
    const Configurations configurations(all, {machine()}, limits, CostKind::money);
    for (const std::size_t id : choose(configurations).front) {
        if (!configurations.is_feasible(configurations.evaluate(id)))
            state.SkipWithError("what is chosen is not feasible");
    }
    for (auto _ : state) {
        const Choice found = choose(configurations);
        benchmark::DoNotOptimize(found.front.data());
        benchmark::DoNotOptimize(sensitivities(configurations, found));
    }
    state.counters["configurations/s"] = benchmark::Counter(static_cast<double>(configurations.size()),
                                                            benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(choice)->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plimsoll::plan
