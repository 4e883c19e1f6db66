#include "kernels/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "kernels/program_run.hpp"
#include "kernels/thread_pool.hpp"
#include "support/random_stream.hpp"

namespace plimsoll::kernels {

namespace {

std::vector<std::size_t> random_order(std::size_t count, workloads::RandomStream random) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) {
        std::swap(order[left - 1], order[random.below(left)]);
    }
    return order;
}

void record(Measurement& measurement, const std::vector<RegionTime>& times) {
    measurement.regions.resize(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        measurement.regions[i].region = times[i].path;
        measurement.regions[i].seconds.push_back(std::chrono::duration<double>(times[i].exclusive).count());
    }
}

}  // namespace

std::vector<Configuration> grid(const Plan& plan) {
    std::vector<Configuration> configurations;
    for (const std::size_t n : plan.sizes) {
        for (const std::size_t threads : plan.threads) {
            configurations.push_back({.n = n, .threads = threads});
        }
    }
    return configurations;
}

void measure(const Plan& plan, const Listener& listener) {
    std::vector<Measurement> measurements;
    for (const Configuration& configuration : grid(plan)) {
        measurements.push_back({.configuration = configuration, .regions = {}});
    }
    ThreadPool pool(*std::max_element(plan.threads.begin(), plan.threads.end()));
    const std::size_t blocks = plan.warmup + plan.repetitions;
    std::size_t done = 0;
    std::size_t reported = 0;
    std::vector<std::size_t> runs_of(measurements.size(), 0);
    for (std::size_t block = 0; block < blocks; ++block) {
        for (const std::size_t i : random_order(measurements.size(), {plan.seed, "order", block})) {
            const Configuration& configuration = measurements[i].configuration;
            listener.run_starts(done++, blocks * measurements.size(), configuration);
            const Problem problem{.n = configuration.n, .seed = plan.seed, .searches = plan.searches};
            const auto times = run_program(problem, pool.team(configuration.threads), plan.kernels);
            if (block >= plan.warmup) {
                record(measurements[i], times);
            }
            ++runs_of[i];
            while (reported < measurements.size() && runs_of[reported] == blocks) {
                listener.measured(measurements[reported++]);
            }
        }
    }
}

}  // namespace plimsoll::kernels
