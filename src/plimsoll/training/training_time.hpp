#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/experiment.hpp"
#include "plimsoll/model/document.hpp"
#include "plimsoll/training/collective.hpp"
#include "plimsoll/training/efficiency.hpp"
#include "plimsoll/training/region_values.hpp"
#include "plimsoll/training/sample_need.hpp"
#include "plimsoll/training/schedule.hpp"
#include "plimsoll/training/training_axes.hpp"

namespace plimsoll::training {

/// What a step spends its time with; the parts add up to it.
struct StepParts {
    double computation = 0.0;            ///< of devices, s
    double exposed_communication = 0.0;  ///< while nothing is computed, s
    double rest = 0.0;  ///< memory moved, and devices that wait: for input, the host, others; s
    /// Of the rest, how long devices do nothing at all; what remains is memory that is moved meanwhile. s;
    /// nothing where profiles do not tell it.
    std::optional<double> idle;
};

/// A training at one point. Times in seconds.
struct TrainingTime {
    std::vector<double> at;  ///< [parameters]
    double processes = 0.0;
    double batch = 0.0;            ///< samples of a replica in a step; 0 where nobody says
    std::optional<Estimate> step;  ///< nothing where epochs alone were measured
    std::optional<Estimate> validation_step;
    std::optional<StepParts> parts;  ///< where devices were traced
    std::optional<Factors> factors;  ///< likewise
    std::vector<Collective> collectives;
    double throughput = 0.0;           ///< samples/s; steps/s, or epochs/s, where samples are not known
    std::optional<double> efficiency;  ///< nothing where the fewest processes have no value
    StepCounts steps;                  ///< of an epoch; 0 where the data set is not known
    std::optional<Estimate> epoch;
    std::optional<Estimate> samples;  ///< that the training needs, where their models are known
    std::optional<Estimate> training;
    std::optional<double> process_hours;  ///< of the training: devices, where each process has one
};

/// What else a training is composed of.
struct TrainingOptions {
    Efficiency efficiency = Efficiency::standard;
    double precision = 0.01;  ///< wanted of a step's mean: half width of its interval, relative
};

template <class Visitor>
void describe(TrainingOptions& o, Visitor&& option) {
    option("efficiency", o.efficiency, "How efficiency is defined");
    option(
        "precision", o.precision,
        "Wanted half width of the interval of a step's time, relative to it: says how many steps to profile",
        Shares{0.0001, 1.0});
}

/// A kind of step, and how many of them a whole training has at a point, [parameters].
struct StepPart {
    const model::RegionModel* model = nullptr;
    std::function<double(std::span<const double>)> count;
};

/// Composes the times of a training from the values of its steps: `step`, `validation->step`, and
/// `device->...`; or of its epochs, `epoch` and `first epoch`.
class TrainingModel {
  public:
    /// `measurements`, where given, are those of the models: they stand for points where they were made,
    /// where no model came out. Throws a usage error where `processes_parameter` or the schedule's batch name
    /// no parameter, or both the same one, and an input error where neither steps nor epochs have values.
    TrainingModel(const model::FitDocument& document, Schedule schedule,
                  const std::string& processes_parameter, double coverage,
                  const experiment::Experiment* measurements = nullptr, TrainingOptions options = {},
                  std::optional<SampleNeed> samples = std::nullopt);

    /// Throws a usage error where there is neither a model nor a measurement at the point, where its
    /// processes make up no replica, or where the data set fills no step. A model that predicts no time above
    /// 0 leaves what follows from it unknown.
    [[nodiscard]] TrainingTime at(const std::vector<double>& point) const;

    /// Steps of an epoch at a point; 0 where its samples, or those of a step, are not known.
    [[nodiscard]] StepCounts steps_at(const std::vector<double>& point) const;

    /// What adds up to the time of the whole training: steps, or where these were not measured, epochs.
    /// Counts are not numbers where there is no training. Samples to an accuracy count by their median.
    /// Throws a usage error where the data set or the batch is not known, and an input error where no step
    /// has a model. The parts live as long as this.
    [[nodiscard]] std::vector<StepPart> parts() const;

    /// Why there is no training at a point that has a model: its processes make up no replica, or samples
    /// that fill no step are dropped. Empty where there is one.
    [[nodiscard]] std::string why_none(std::span<const double> point) const;

    /// The fewest processes that efficiency is relative to: those measured, and as many as hold a replica.
    [[nodiscard]] double fewest_processes() const;

    /// Position of the parameter that counts processes.
    [[nodiscard]] std::size_t processes_axis() const { return axes_.processes(); }
    /// Points where steps, or epochs, were measured; nothing where they have a model.
    [[nodiscard]] std::vector<std::vector<double>> measured_alone() const;

  private:
    [[nodiscard]] std::optional<Estimate> value(std::string_view region,
                                                const std::vector<double>& point) const;
    /// Samples, or where the batch is not known steps, of all processes in a step.
    [[nodiscard]] double work_of_step(const std::vector<double>& point) const;
    /// Time by which efficiency is judged, and the work done in it.
    struct Pace {
        double time = 0.0;
        double work = 0.0;
    };
    [[nodiscard]] std::optional<Pace> pace(const std::vector<double>& point) const;
    [[nodiscard]] std::optional<double> efficiency(const std::vector<double>& point) const;
    [[nodiscard]] std::optional<StepParts> step_parts(const std::vector<double>& point, double step) const;
    [[nodiscard]] std::optional<Factors> factors(const std::vector<double>& point, double step) const;
    [[nodiscard]] std::vector<Collective> collectives(const std::vector<double>& point) const;
    [[nodiscard]] std::vector<double> at_fewest(std::vector<double> point) const;
    /// Steps of the whole training, of both kinds, at a point.
    [[nodiscard]] StepCounts all_steps(std::span<const double> point) const;
    void expect_replicas(const std::vector<double>& point) const;
    void add_epoch(TrainingTime& time) const;
    void add_training(TrainingTime& time) const;

    RegionValues values_;
    std::vector<std::string> parameters_;
    std::vector<double> smallest_;  ///< [parameters]; empty where it is not known
    std::vector<std::string> collective_names_;
    Schedule schedule_;
    TrainingAxes axes_;
    TrainingOptions options_;
    std::optional<SampleNeed> samples_;
    bool has_steps_ = false;
};

}  // namespace plimsoll::training
