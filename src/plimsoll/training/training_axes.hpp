#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/training/schedule.hpp"

namespace plimsoll::training {

/// Which parameters of a training count its processes and the samples of a step.
class TrainingAxes {
  public:
    /// `processes_parameter` may be empty: then a usual name is looked for. Throws a usage error where none
    /// is clear, or where it or the schedule's batch name no parameter, or both the same one.
    TrainingAxes(const std::vector<std::string>& parameters, const std::string& processes_parameter,
                 const Schedule& schedule);

    /// Position of the parameter that counts processes.
    [[nodiscard]] std::size_t processes() const { return processes_; }
    [[nodiscard]] double processes_at(std::span<const double> point) const { return point[processes_]; }

    [[nodiscard]] bool know_batch() const { return batch_ || fixed_batch_ > 0.0; }
    /// Samples of a replica in a step, 0 where nobody says.
    [[nodiscard]] double batch_at(std::span<const double> point) const;

  private:
    void find_batch(const std::vector<std::string>& parameters);

    Schedule schedule_;
    std::size_t processes_ = 0;
    std::optional<std::size_t> batch_;
    double fixed_batch_ = 0.0;
};

}  // namespace plimsoll::training
