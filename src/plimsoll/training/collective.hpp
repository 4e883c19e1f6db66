#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::training {

/// What a kind of collective takes in a step, of each process.
struct Collective {
    std::string name;  ///< as profiles have it, such as `allreduce` or `allreduce (4 ranks)`
    double calls = 0.0;
    double time = 0.0;           ///< s
    double bytes = 0.0;          ///< that each process gives; 0 where they are not known
    double bus_bandwidth = 0.0;  ///< B/s; 0 where it is not known
};

/// What share of a collective's bytes passes the busiest link of a process, where `ranks` take part: by it,
/// bandwidths of different collectives and numbers of ranks compare with that of the hardware. Nothing for a
/// collective that is not known.
///
/// `bytes` here are what each process gives: of an all-gather its own part, of a reduce-scatter the whole.
/// Source: PERFORMANCE.md of NCCL's tests, whose all-gather counts the whole instead.
[[nodiscard]] std::optional<double> bus_factor(std::string_view name, double ranks);

/// The ranks that take part: as the name says in brackets, else all.
[[nodiscard]] double ranks_of(std::string_view name, double processes);

}  // namespace plimsoll::training
