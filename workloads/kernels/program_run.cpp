#include "kernels/program_run.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "kernels/serial_part.hpp"
#include "plimsoll/core/error.hpp"
#include "support/random_stream.hpp"

namespace plimsoll::kernels {

namespace {

constexpr std::uint64_t steps_of_main = 1'000'000;
constexpr std::size_t digested_per_n = 16;
constexpr int setup_rounds = 16;
constexpr int digest_rounds = 32;

void expect_right(bool is_right, std::string_view region, const Problem& problem, const Team& team) {
    if (!is_right) {
        throw Error(ErrorKind::internal,
                    fmt::format("region '{}' computed a wrong result (n = {}, threads = {}, seed = {})",
                                region, problem.n, team.size(), problem.seed),
                    "report this with the command that was run");
    }
}

/// Each round's digest is the next one's first value, so that no round can be left out.
template <class Digest>
std::uint64_t chained(std::vector<std::uint64_t>& values, Digest digest_of) {
    const std::uint64_t front = values.front();
    for (int round = 0; round < digest_rounds; ++round) {
        values.front() = digest_of(values);
    }
    return std::exchange(values.front(), front);
}

}  // namespace

std::vector<RegionTime> run_program(const Problem& problem, const Team& team,
                                    std::span<const KernelEntry> kernels) {
    std::vector<std::unique_ptr<Kernel>> made;
    for (const KernelEntry& entry : kernels) {
        made.push_back(entry.make(problem));
    }
    std::vector<std::uint64_t> values(digested_per_n * problem.n);
    std::uint64_t walked = 0;
    std::uint64_t digested = 0;

    RegionClock clock;
    {
        const RegionClock::Region main(clock, "main");
        walked = walk(problem.seed, steps_of_main);
        {
            const RegionClock::Region setup(clock, "setup");
            workloads::RandomStream random(problem.seed, "digested", problem.n);
            for (int round = 0; round < setup_rounds; ++round) {
                for (std::uint64_t& value : values) {
                    value ^= random.next();
                }
            }
            for (const auto& kernel : made) {
                kernel->set_up();
            }
        }
        {
            const RegionClock::Region compute(clock, "compute");
            digested = chained(values, digest);
            for (std::size_t i = 0; i < kernels.size(); ++i) {
                const RegionClock::Region region(clock, kernels[i].name);
                made[i]->run(team);
            }
        }
    }

    expect_right(walked == jump(problem.seed, steps_of_main), "main", problem, team);
    expect_right(digested == chained(values, digest_by_powers), "main->compute", problem, team);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        expect_right(made[i]->is_right(), kernels[i].name, problem, team);
    }
    return clock.times();
}

}  // namespace plimsoll::kernels
