// How fast are JSON lines read, from text to experiment, on one thread?
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "plimsoll/experiment/reader.hpp"

namespace {

using plimsoll::experiment::Experiment;

constexpr int points_per_region = 25;

double value_at(double p, double n) { return std::sqrt(2.0) + std::log2(p) * n; }

/// Lines such as a producer writes: 25 points of two parameters, five repetitions of nine digits, region by
/// region.
std::string lines_of(int regions) {
    std::string text;
    for (int region = 0; region < regions; ++region) {
        for (int i = 0; i < points_per_region; ++i) {
            const int p = 4 << i % 5;
            const int n = 10 * (1 + i / 5);
            const double value = value_at(p, n);
            text += fmt::format(
                R"({{"params": {{"p": {}, "n": {}}}, "callpath": "main->phase{}->kernel{}", "metric": "time", )"
                R"("value": [{:.9g}, {:.9g}, {:.9g}, {:.9g}, {:.9g}]}})"
                "\n",
                p, n, region % 10, region, value, 1.01 * value, 0.99 * value, 1.02 * value, 0.98 * value);
        }
    }
    return text;
}

Experiment read_lines(const std::string& text) {
    plimsoll::experiment::ExperimentBuilder builder;
    plimsoll::Input input("lines", text);
    plimsoll::experiment::read(input, builder, {.format = "jsonl"});
    return builder.build();
}

bool is_right(const Experiment& experiment, int regions) {
    if (experiment.regions.size() != static_cast<std::size_t>(regions) || !experiment.notes.empty())
        return false;
    for (const auto& series : experiment.series) {
        if (series.measurements.size() != points_per_region) return false;
        for (const auto& measurement : series.measurements) {
            const auto point = experiment.point(measurement.point);
            const double expected = value_at(point[0], point[1]);
            if (measurement.repetitions != 5) return false;
            if (std::abs(measurement.summary.median - expected) > 1e-8 * expected) return false;
        }
    }
    return true;
}

void read_json_lines(benchmark::State& state) {
    const int regions = static_cast<int>(state.range(0));
    const std::string text = lines_of(regions);
    if (!is_right(read_lines(text), regions)) {
        state.SkipWithError("the lines were read wrongly");
        return;
    }
    for (auto _ : state) benchmark::DoNotOptimize(read_lines(text));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
    state.counters["lines/s"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * regions * points_per_region, benchmark::Counter::kIsRate);
}
BENCHMARK(read_json_lines)->Arg(40)->Arg(4000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
