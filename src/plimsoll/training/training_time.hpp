#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/model/document.hpp"
#include "plimsoll/training/schedule.hpp"

namespace plimsoll::training {

/// A predicted time with the interval in which it lies, s; both ends are the value where there is none.
struct Time {
    double value = 0.0;
    double low = 0.0;
    double high = 0.0;
};

/// What a step spends its time with; the parts add up to it.
struct StepParts {
    double computation = 0.0;            ///< of devices, s
    double exposed_communication = 0.0;  ///< while nothing is computed, s
    double rest = 0.0;  ///< memory moved, and devices that wait: for input, the host, others; s
};

/// A training at one point.
struct TrainingTime {
    std::vector<double> at;  ///< [parameters]
    double processes = 0.0;
    double batch = 0.0;  ///< samples of a replica in a step; 0 where nobody says
    Time step;
    std::optional<Time> validation_step;
    std::optional<StepParts> parts;  ///< where devices were traced
    double throughput = 0.0;         ///< samples/s; steps/s where the batch is not known
    double efficiency = 0.0;  ///< throughput of a process, by that at the fewest processes that were measured
    StepCounts steps;         ///< of an epoch; 0 where the data set is not known
    std::optional<Time> epoch;
    std::optional<Time> training;         ///< all epochs
    std::optional<double> process_hours;  ///< of all epochs: devices, where each process has one
};

/// Composes the times of a training from models of its steps: `step`, `validation->step`, and `device->...`.
class TrainingModel {
  public:
    /// Throws a usage error where `processes_parameter` or the schedule's batch name no parameter, or both
    /// the same one, and an input error where no step has a model.
    TrainingModel(model::FitDocument document, Schedule schedule, const std::string& processes_parameter,
                  double coverage);

    [[nodiscard]] TrainingTime at(const std::vector<double>& point) const;

    /// Position of the parameter that counts processes.
    [[nodiscard]] std::size_t processes_axis() const { return processes_axis_; }

  private:
    /// By the model of a region, where there is one.
    [[nodiscard]] std::optional<Time> predict(const std::string& region,
                                              const std::vector<double>& point) const;
    void expect_axes_differ() const;
    [[nodiscard]] double batch_at(const std::vector<double>& point) const;
    [[nodiscard]] double throughput(const std::vector<double>& point, double step) const;

    model::FitDocument document_;  ///< of these regions alone
    Schedule schedule_;
    double coverage_;
    std::size_t processes_axis_ = 0;
    std::optional<std::size_t> batch_axis_;
    double fixed_batch_ = 0.0;
    std::string step_region_;
};

}  // namespace plimsoll::training
