#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/thread_pool.hpp"

namespace plimsoll::kernels {

/// What all kernels of one run work on.
struct Problem {
    std::size_t n = 1000;            ///< each kernel derives its own size from it, see README.md
    std::uint64_t seed = 0;          ///< of every input
    std::size_t searches = 100'000;  ///< queries of `search`, whatever n
};

/// One piece of honest work whose cost follows a known law. The constructor makes the inputs that
/// are only read, before any clock runs.
class Kernel {
  public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel() = default;

    /// Makes anew the inputs that `run` overwrites; timed, and linear in n.
    virtual void set_up() {}
    /// Does the work and returns how many basic operations it took.
    virtual std::uint64_t run(const Team& team) = 0;
    /// Whether the last run's result is right.
    [[nodiscard]] virtual bool is_right() const = 0;
};

/// A kernel's place in the table of regions.
struct KernelEntry {
    std::string_view name;  ///< of the region below main->compute
    std::string_view law;   ///< how its time grows with n and t threads, for t up to the cores
    std::unique_ptr<Kernel> (*make)(const Problem& problem);
};

[[nodiscard]] std::span<const KernelEntry> all_kernels();

}  // namespace plimsoll::kernels
