// Are changes of behaviour found where they are, and none where there is none?
//
// Draws series of one parameter, measures them with noise, models them by the default search, and prints a
// CSV row for each cell: in how many series a change was named and at its place, and how predictions and
// their 90 % intervals fare at twice the largest value.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model {
namespace {

struct Cell {
    std::string truth;
    std::size_t points = 12;
    int repetitions = 4;
    double noise = 0.0;  ///< per cent, full width
};

struct Truth {
    std::function<double(double)> value;
    std::size_t change = 0;  ///< position of the first point behind it; 0 where there is none
};

/// Where series are measured: by a factor of 1.4 from one point to the next.
std::vector<double> points_of(const Cell& cell) {
    std::vector<double> points;
    for (std::size_t i = 0; i < cell.points; ++i)
        points.push_back(std::round(4.0 * std::pow(1.4, static_cast<double>(i))));
    return points;
}

Truth draw(const Cell& cell, const std::vector<double>& points, std::mt19937_64& random) {
    constexpr std::array<std::pair<double, double>, 19> classes{{{0, 1},
                                                                 {0, 2},
                                                                 {0.25, 0},
                                                                 {1.0 / 3, 0},
                                                                 {0.25, 1},
                                                                 {0.5, 0},
                                                                 {0.5, 1},
                                                                 {2.0 / 3, 0},
                                                                 {0.75, 0},
                                                                 {1, 0},
                                                                 {1, 1},
                                                                 {1.25, 0},
                                                                 {4.0 / 3, 0},
                                                                 {1.5, 0},
                                                                 {1.5, 1},
                                                                 {2, 0},
                                                                 {2, 1},
                                                                 {2.5, 0},
                                                                 {3, 0}}};
    const auto uniform = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const double c0 = uniform(0, 1000);
    const double c1 = uniform(0, 1000);
    const auto [e, l] = classes[random() % classes.size()];
    const auto single = [=, e = e, l = l](double x) {
        return c0 + c1 * std::pow(x, e) * std::pow(std::log2(x), l);
    };
    // Three points lie on each side of a change.
    const std::size_t change = 3 + random() % (points.size() - 5);
    const double at = std::sqrt(points[change - 1] * points[change]);
    if (cell.truth == "single") return {.value = single};
    if (cell.truth == "constant") return {.value = [=](double) { return c0 + 1.0; }};
    if (cell.truth == "off-list") {
        const double exponent = uniform(0.2, 2.8);
        return {.value = [=](double x) { return c0 + c1 * std::pow(x, exponent); }};
    }
    if (cell.truth == "strong-overhead") {
        const double d = c1 / uniform(500, 8000);
        return {.value = [=](double x) { return c1 / x + d * x + 0.02 * c0; }};
    }
    if (cell.truth == "wave") {
        return {.value = [=](double x) { return single(x) * (1.0 + 0.03 * std::sin(2.2 * std::log(x))); }};
    }
    if (cell.truth == "jump") {
        constexpr std::array<double, 4> factors{0.5, 0.7, 1.4, 2.0};
        const double factor = factors[random() % factors.size()];
        return {.value = [=](double x) { return single(x) * (x < at ? 1.0 : factor); }, .change = change};
    }
    if (cell.truth == "exponent") {
        constexpr std::array<double, 3> steps{0.7, 1.0, 1.5};
        const double before = uniform(0.2, 1.2);
        const double behind = before + steps[random() % steps.size()];
        return {.value = [=](double x) { return c1 * std::pow(x / at, x < at ? before : behind); },
                .change = change};
    }
    throw CLI::ValidationError("--truth", "no such truth: " + cell.truth);
}

void judge(const Cell& cell, std::size_t count, std::uint64_t seed, int threads) {
    std::mt19937_64 random(seed);
    const std::vector<double> points = points_of(cell);
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p"}, {});
    std::vector<Truth> truths;
    std::uniform_real_distribution<double> error(-cell.noise / 200.0, cell.noise / 200.0);
    for (std::size_t f = 0; f < count; ++f) {
        truths.push_back(draw(cell, points, random));
        const auto series = builder.series(builder.region(fmt::format("f{}", f)), builder.metric("time"));
        for (const double x : points) {
            const std::vector<double> at{x};
            std::vector<double> runs;
            for (int r = 0; r < cell.repetitions; ++r)
                runs.push_back(truths.back().value(x) * (1.0 + (cell.noise > 0.0 ? error(random) : 0.0)));
            builder.add_repetitions(series, builder.point(at, {}), runs, {});
        }
    }
    const std::vector<Fit> fits = fit_all(builder.build(), {}, threads, silent());
    std::size_t named = 0;
    std::size_t in_place = 0;
    std::size_t within5 = 0;
    std::size_t within20 = 0;
    std::size_t covered = 0;
    const std::vector<double> target{2.0 * points.back()};
    for (std::size_t f = 0; f < count; ++f) {
        const std::vector<ChangePoint>& changes = fits[f].posterior.changes;
        named += changes.empty() ? 0 : 1;
        in_place +=
            truths[f].change > 0 &&
                    std::ranges::any_of(
                        changes, [&](const ChangePoint& c) { return c.before == points[truths[f].change]; })
                ? 1
                : 0;
        const double truth = truths[f].value(target.front());
        const Estimate e = estimate(fits[f].posterior, target, 0.9);
        within5 += std::abs(e.value / truth - 1.0) <= 0.05 ? 1 : 0;
        within20 += std::abs(e.value / truth - 1.0) <= 0.2 ? 1 : 0;
        covered += e.low <= truth && truth <= e.high ? 1 : 0;
    }
    const auto share = [&](std::size_t n) { return static_cast<double>(n) / static_cast<double>(count); };
    fmt::print("{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}\n", cell.truth, cell.points,
               cell.repetitions, cell.noise, count, share(named), share(in_place), share(within5),
               share(within20), share(covered));
}

}  // namespace
}  // namespace plimsoll::model

int main(int argc, char** argv) {
    CLI::App app("Whether changes of behaviour are found, and none where there is none");
    std::vector<std::string> truths{"jump",     "exponent",        "single", "constant",
                                    "off-list", "strong-overhead", "wave"};
    std::vector<std::size_t> points{8, 12, 30};
    std::vector<int> repetitions{1, 4};
    std::vector<double> noises{2, 10};
    std::size_t count = 200;
    std::uint64_t seed = 7;
    int threads = 0;
    app.add_option("--truth", truths, "jump, exponent, single, constant, off-list, strong-overhead, wave");
    app.add_option("--points", points)->check(CLI::Range(6, 1000));
    app.add_option("--repetitions", repetitions)->check(CLI::PositiveNumber);
    app.add_option("--noise", noises, "Per cent")->check(CLI::NonNegativeNumber);
    app.add_option("--count", count, "Series of a cell")->check(CLI::PositiveNumber);
    app.add_option("--seed", seed);
    app.add_option("--threads", threads);
    try {
        app.parse(argc, argv);
        fmt::print(
            "truth,points,repetitions,noise,series,named,in_place,target_within5,target_within20,target_"
            "coverage\n");
        for (const std::string& truth : truths) {
            for (const std::size_t n : points) {
                for (const int r : repetitions) {
                    for (const double noise : noises)
                        plimsoll::model::judge(
                            {.truth = truth, .points = n, .repetitions = r, .noise = noise}, count, seed,
                            threads);
                }
            }
        }
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "model_regimes: {}\n", error.what());
        return 1;
    }
    return 0;
}
