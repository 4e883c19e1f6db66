// How long do predictions with intervals take at a million points of a grid?

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/grid.hpp"
#include "plimsoll/model/predictive.hpp"

namespace plimsoll::model {
namespace {

/// The model of a time that is divided among processes, with 2 % noise.
Fit fitted() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(1.0, 0.02);
    experiment::ExperimentBuilder builder;
    const std::vector<std::string> names{"p", "n"};
    builder.set_parameters(names, {});
    const auto series = builder.series(builder.region("main"), builder.metric("time"));
    for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
        for (const double n : {100.0, 200.0, 400.0, 800.0, 1600.0}) {
            std::vector<double> values;
            values.reserve(3);
            for (int i = 0; i < 3; ++i)
                values.push_back((2.0 + 5.0 * n * std::log2(n) / p + 0.3 * std::log2(p)) * noise(random));
            builder.add_repetitions(series, builder.point(std::vector<double>{p, n}, {}), values, {});
        }
    }
    return fit_all(builder.build(), {}, 1, silent()).front();
}

Grid grid(std::size_t points) {
    Grid grid;
    grid.values.resize(2);
    for (std::size_t i = 0; i < points / 100; ++i) grid.values[0].push_back(4.0 + static_cast<double>(i));
    for (int i = 0; i < 100; ++i) grid.values[1].push_back(100.0 * (1 + i));
    return grid;
}

void on_grid(benchmark::State& state) {
    const Fit fit = fitted();
    const Grid points = grid(static_cast<std::size_t>(state.range(0)));
    const int threads = static_cast<int>(state.range(1));
    const GridEstimates found = grid_estimates(fit.posterior, fit.function, points, 0.9, threads, silent());
    for (std::size_t i = 0; i < points.size(); i += points.size() / 100) {
        const Estimate e = predicted(fit.posterior, fit.function, points.point(i), 0.9);
        if (!(std::abs(e.value - found.value[i]) <= 1e-7 * e.value &&
              std::abs(e.high - found.high[i]) <= 1e-7 * e.high))
            state.SkipWithError("a point is not what it is alone");
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(grid_estimates(fit.posterior, fit.function, points, 0.9, threads, silent()));
    }
    state.counters["forms"] = static_cast<double>(fit.posterior.forms.size());
    state.counters["points/s"] =
        benchmark::Counter(static_cast<double>(points.size()) * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate);
}
BENCHMARK(on_grid)
    ->ArgNames({"points", "threads"})
    ->Args({10'000, 1})
    ->Args({1'000'000, 1})
    ->Args({1'000'000, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// One by one, as other commands predict.
void one_by_one(benchmark::State& state) {
    const Fit fit = fitted();
    const Grid points = grid(10'000);
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(predicted(fit.posterior, fit.function, points.point(i), 0.9));
        i = (i + 1) % points.size();
    }
}
BENCHMARK(one_by_one)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plimsoll::model
