#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"

namespace plimsoll::kernels {

/// What to measure. Every size is combined with every number of threads.
struct Plan {
    std::vector<std::size_t> sizes{500, 1000, 2000, 4000};
    std::vector<std::size_t> threads{1, 2};
    std::size_t repetitions = 5;
    std::size_t warmup = 1;  ///< repetitions before these, not recorded
    std::uint64_t seed = 0;  ///< of the inputs and of the order of measurement
    std::size_t searches = Problem{}.searches;
    std::vector<KernelEntry> kernels{all_kernels().begin(), all_kernels().end()};
};

struct Configuration {
    std::size_t n = 0;
    std::size_t threads = 1;
    bool operator==(const Configuration&) const = default;
};

/// One region's times at one configuration.
struct Series {
    std::string region;
    std::vector<double> seconds;  ///< one a repetition
};

/// All regions' times at one configuration, in call order.
struct Measurement {
    Configuration configuration;
    std::vector<Series> regions;
};

/// Who hears of it while a plan is measured.
struct Listener {
    /// Before each run, `done` of `total` runs being over; may throw to end the measurement.
    std::function<void(std::size_t done, std::size_t total, const Configuration&)> run_starts;
    /// Once a configuration and all before it in the grid are complete.
    std::function<void(const Measurement&)> measured;
};

/// Sizes by threads, sizes outermost.
[[nodiscard]] std::vector<Configuration> grid(const Plan& plan);

/// Runs every configuration once a repetition, in another random order each time, so that a machine that
/// grows slower or faster meanwhile does not look like scaling.
void measure(const Plan& plan, const Listener& listener);

}  // namespace plimsoll::kernels
