#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plimsoll/measure/metric.hpp"
#include "plimsoll/measure/runner.hpp"

namespace plimsoll::app {

/// Runs what is measured as tasks of a campaign, one after the other, each on a worker that it has for
/// itself.
class MeasureRunner {
  public:
    /// Connects to the campaign of a folder. Throws a usage error where there is none, or for a metric that a
    /// worker does not tell; an environment error where no server can be reached or no worker is there.
    MeasureRunner(const std::string& folder, const std::vector<measure::MetricChoice>& metrics);
    MeasureRunner(MeasureRunner&&) noexcept;
    MeasureRunner& operator=(MeasureRunner&&) noexcept;
    ~MeasureRunner();

    /// For `measure`; this outlives it.
    [[nodiscard]] measure::Runner runner();

    /// A folder that the workers see as well.
    [[nodiscard]] std::string scratch() const;

    /// The hosts that runs go to.
    [[nodiscard]] const std::vector<std::string>& hosts() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::app
