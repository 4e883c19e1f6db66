// How does the time to model an experiment grow with its regions, its points and its parameters?

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"

namespace plimsoll::model {
namespace {

/// Regions that grow as c0 + c1 * product of x_k^a * log2(x_k)^b with 2 % noise, on a full grid.
experiment::Experiment grid(std::size_t regions, std::size_t values_per_axis, std::size_t parameters) {
    constexpr double exponents[][2] = {{0.5, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {1.5, 0}};
    std::mt19937_64 random(regions * 1000 + values_per_axis * 10 + parameters);
    std::normal_distribution<double> noise(1.0, 0.02);
    experiment::ExperimentBuilder builder;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < parameters; ++k) names.push_back(fmt::format("x{}", k));
    builder.set_parameters(names, {});
    std::size_t points = 1;
    for (std::size_t k = 0; k < parameters; ++k) points *= values_per_axis;
    std::vector<double> x(parameters);
    for (std::size_t r = 0; r < regions; ++r) {
        const auto series =
            builder.series(builder.region(fmt::format("main->kernel{}", r)), builder.metric("time"));
        const auto& form = exponents[r % std::size(exponents)];
        for (std::size_t i = 0; i < points; ++i) {
            std::size_t rest = i;
            double product = 1.0;
            for (double& value : x) {
                value = 4.0 * static_cast<double>(1 + rest % values_per_axis);
                rest /= values_per_axis;
                product *= std::pow(value, form[0]) * std::pow(std::log2(value), form[1]);
            }
            const double value = (10.0 + product) * noise(random);
            builder.add_repetitions(series, builder.point(x, {}), {&value, 1}, {});
        }
    }
    return builder.build();
}

/// Fast and wrong is no result: at least nine of ten models must come within 10 % of the values that they
/// were fitted to, by SMAPE.
bool fits_well(const experiment::Experiment& experiment, const std::vector<Fit>& fits) {
    std::size_t good = 0;
    for (const Fit& fit : fits)
        good += fit.status == Status::ok && fit.quality.in_sample.smape < 10.0 ? 1 : 0;
    return good * 10 >= experiment.series.size() * 9;
}

void run(benchmark::State& state, Search search, std::size_t regions, std::size_t values_per_axis,
         std::size_t parameters) {
    const experiment::Experiment experiment = grid(regions, values_per_axis, parameters);
    const FitOptions options{.search = search};
    if (!fits_well(experiment, fit_all(experiment, options, 1, silent())))
        state.SkipWithError("the models are bad");
    for (auto _ : state) {
        const std::vector<Fit> fits = fit_all(experiment, options, 1, silent());
        benchmark::DoNotOptimize(fits.data());
    }
    state.counters["fits"] =
        benchmark::Counter(static_cast<double>(regions), benchmark::Counter::kIsIterationInvariantRate);
}

template <Search search>
void fit_regions(benchmark::State& state) {
    run(state, search, static_cast<std::size_t>(state.range(0)), 5, 1);
}
template <Search search>
void fit_points(benchmark::State& state) {
    run(state, search, 100, static_cast<std::size_t>(state.range(0)), 1);
}
template <Search search>
void fit_parameters(benchmark::State& state) {
    run(state, search, 100, 5, static_cast<std::size_t>(state.range(0)));
}

BENCHMARK(fit_regions<Search::extra_p>)
    ->RangeMultiplier(10)
    ->Range(10, 100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fit_points<Search::extra_p>)->RangeMultiplier(2)->Range(5, 160)->Unit(benchmark::kMillisecond);
BENCHMARK(fit_parameters<Search::extra_p>)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(fit_regions<Search::posterior>)
    ->RangeMultiplier(10)
    ->Range(10, 1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fit_points<Search::posterior>)->RangeMultiplier(2)->Range(5, 160)->Unit(benchmark::kMillisecond);
BENCHMARK(fit_parameters<Search::posterior>)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plimsoll::model
