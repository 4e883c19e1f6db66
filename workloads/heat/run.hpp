#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heat/ranks.hpp"
#include "plimsoll/checkpoint/protected_array.hpp"
#include "plimsoll/core/seconds.hpp"

namespace plimsoll::heat {

/// When a step waits for its save.
enum class Waiting { none, for_durable };

struct Settings {
    std::uint64_t size = 48;  ///< grid points along each edge
    std::uint64_t steps = 200;
    std::string folder;        ///< for checkpoints; empty: none
    std::uint64_t every = 10;  ///< steps between two of them
    std::uint64_t keep = 2;
    Waiting waiting = Waiting::none;
    checkpoint::Capture capture = checkpoint::Capture::copied;  ///< of the grid
};

struct Result {
    std::optional<std::uint64_t> restored;  ///< the step that it went on from
    std::vector<std::string> passed_over;   ///< why newer saves were not taken
    std::vector<std::string> failures;      ///< saves that failed on this rank
    std::uint64_t saves = 0;                ///< that this run began
    std::uint64_t checksum = 0;             ///< of all bits of the whole grid
    double largest_error = 0.0;
    Seconds wall{0.0};     ///< the whole run
    Seconds blocked{0.0};  ///< of it, in calls that save
};

/// Computes all steps, from the newest checkpoint if there is one. Throws a usage error on all ranks where
/// there are more of them than planes.
[[nodiscard]] Result run(const Settings& settings, Ranks& ranks);

/// One line, an object: what was run and what came out.
[[nodiscard]] std::string json_line(const Settings& settings, std::uint64_t ranks, const Result& result);

}  // namespace plimsoll::heat
