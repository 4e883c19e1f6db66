#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll::workloads {

/// Random numbers for one named purpose: the same seed, name and index give the same numbers on
/// every machine, and a new purpose shifts no other one's numbers.
///
/// Source: splitmix64, Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014; constants as in Vigna's public-domain version.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index);

    std::uint64_t next();
    /// A number in [0, bound), for bounds below 2^32; biased by less than bound / 2^32.
    std::uint64_t below(std::uint64_t bound);
    /// A number in [0, 1).
    double uniform();

  private:
    std::uint64_t state_;
};

}  // namespace plimsoll::workloads
