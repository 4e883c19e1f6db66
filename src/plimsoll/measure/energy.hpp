#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::measure {

/// Energy that the processors of this machine took, of all that runs on it, from the counters of Linux's
/// power capping framework (RAPL).
///
/// Counters wrap around, after half an hour or more at full power: `sample` must be called more often than
/// that.
class EnergyMeter {
  public:
    /// Reads the counters of every package below a folder.
    explicit EnergyMeter(const std::string& folder = "/sys/class/powercap");

    /// Whether there is a counter that may be read.
    [[nodiscard]] bool is_available() const { return !counters_.empty(); }

    /// Begins anew at zero.
    void start();

    /// Takes in what was used since the last call.
    void sample();

    /// Since the start, in joules.
    [[nodiscard]] double joules() const { return 1e-6 * static_cast<double>(used_); }

  private:
    struct Counter {
        std::string file;
        std::uint64_t range = 0;  ///< in microjoules, at which it wraps around
        std::uint64_t last = 0;
    };
    std::vector<Counter> counters_;
    std::uint64_t used_ = 0;  ///< microjoules
};

}  // namespace plimsoll::measure
