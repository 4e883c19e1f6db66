#include "plimsoll/training/training_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/training/measurements.hpp"

namespace plimsoll::training {

namespace {

Estimate sum(const Estimate& a, const Estimate& b) {
    return {a.value + b.value, a.low + b.low, a.high + b.high};
}
Estimate times(double factor, const Estimate& e) {
    return {factor * e.value, factor * e.low, factor * e.high};
}

}  // namespace

TrainingModel::TrainingModel(const model::FitDocument& document, Schedule schedule,
                             const std::string& processes_parameter, double coverage,
                             const experiment::Experiment* measurements, TrainingOptions options,
                             std::optional<SampleNeed> samples)
    : values_(document, measurements, coverage),
      parameters_(document.parameters),
      smallest_(document.smallest),
      schedule_(std::move(schedule)),
      axes_(parameters_, processes_parameter, schedule_),
      options_(options),
      samples_(std::move(samples)) {
    has_steps_ = values_.has(step_region, time_metric);
    if (!has_steps_ && !values_.has(epoch_region, time_metric)) {
        std::string reason = "no step is marked";
        for (const model::RegionModel& m : document.models) {
            if (m.region == step_region && m.metric == time_metric)
                reason = "the time of a step has no model: " + m.reason;
        }
        throw Error(
            ErrorKind::input, reason,
            "profile steps that are marked: prof.step() of the PyTorch profiler, or NVTX ranges such as "
            "'step 12'; at five numbers of processes or more");
    }
    for (const model::RegionModel& m : document.models) {
        if (m.metric == time_metric && m.region.starts_with(collective_prefix))
            collective_names_.push_back(m.region.substr(collective_prefix.size()));
    }
    if (samples_ && !has_steps_)
        throw Error(ErrorKind::usage,
                    "--samples has no effect on epochs: how many samples a step has is not known",
                    "profile steps, or give --epochs");
    if (samples_ && !axes_.know_batch())
        throw Error(ErrorKind::usage, "--samples has no effect while the samples of a step are not known",
                    "give --batch");
}

std::optional<Estimate> TrainingModel::value(std::string_view region,
                                             const std::vector<double>& point) const {
    return values_.at(region, time_metric, point);
}

std::vector<std::vector<double>> TrainingModel::measured_alone() const {
    const std::string_view region = has_steps_ ? step_region : epoch_region;
    if (values_.has_model(region, time_metric)) return {};
    return values_.measured_points(region, time_metric);
}

double TrainingModel::fewest_processes() const {
    const double measured = smallest_.empty() ? 1.0 : smallest_[axes_.processes()];
    return std::max(measured, replica_processes(schedule_));
}

std::string TrainingModel::why_none(std::span<const double> point) const {
    const double processes = axes_.processes_at(point);
    if (!(processes >= 1.0) || processes != std::floor(processes))
        return fmt::format("'{}' is no number of processes", shortest(processes));
    if (processes < replica_processes(schedule_))
        return fmt::format("a replica of the model wants {} processes",
                           shortest(replica_processes(schedule_)));
    if (!has_steps_ || schedule_.dataset_size == 0 || !axes_.know_batch()) return {};
    const double batch = axes_.batch_at(point);
    if (step_counts(schedule_, processes, batch).training > 0.0) return {};
    return fmt::format("{} samples do not fill a step of {}, and are dropped", schedule_.dataset_size,
                       shortest(replicas(schedule_, processes) * batch));
}

StepCounts TrainingModel::all_steps(std::span<const double> point) const {
    const double processes = axes_.processes_at(point);
    const double batch = axes_.batch_at(point);
    const StepCounts epoch = step_counts(schedule_, processes, batch);
    if (!samples_) {
        const auto epochs = static_cast<double>(schedule_.epochs);
        return {.training = epochs * epoch.training, .validation = epochs * epoch.validation};
    }
    const double global_batch = replicas(schedule_, processes) * batch;
    const double samples = samples_->at(global_batch).value;
    if (!(samples > 0.0) || !std::isfinite(samples))
        return {.training = std::nan(""), .validation = std::nan("")};
    return {.training = std::ceil(samples / global_batch),
            .validation = samples / static_cast<double>(schedule_.dataset_size) * epoch.validation};
}

std::vector<StepPart> TrainingModel::parts() const {
    const auto counted = [this](auto count) {
        return [this, count](std::span<const double> point) {
            return why_none(point).empty() ? count(point) : std::nan("");
        };
    };
    const auto model_of = [this](std::string_view region) {
        if (const model::RegionModel* const found = values_.model(region, time_metric)) return found;
        throw Error(ErrorKind::input, fmt::format("the time of '{}' has no model", region),
                    "measure at five numbers of processes or more");
    };
    const auto epochs = static_cast<double>(schedule_.epochs);
    if (!has_steps_) {
        const model::RegionModel* const first = values_.model(first_epoch_region, time_metric);
        const double others = first == nullptr ? epochs : epochs - 1.0;
        std::vector<StepPart> parts;
        if (first != nullptr) parts.push_back({.model = first, .count = counted([](auto) { return 1.0; })});
        if (others > 0.0)
            parts.push_back(
                {.model = model_of(epoch_region), .count = counted([others](auto) { return others; })});
        return parts;
    }
    if (schedule_.dataset_size == 0) {
        throw Error(ErrorKind::usage, "how many samples the training set has is not known",
                    "give --dataset-size");
    }
    if (!axes_.know_batch())
        throw Error(ErrorKind::usage, "how many samples a step has is not known", "give --batch");
    const model::RegionModel* const step = model_of(step_region);
    std::vector<StepPart> parts{{.model = step, .count = counted([this](std::span<const double> point) {
                                                    return all_steps(point).training;
                                                })}};
    if (schedule_.validation_size > 0) {
        const model::RegionModel* const own = values_.model(validation_region, time_metric);
        parts.push_back(
            {.model = own == nullptr ? step : own, .count = counted([this](std::span<const double> point) {
                                                       return all_steps(point).validation;
                                                   })});
    }
    return parts;
}

StepCounts TrainingModel::steps_at(const std::vector<double>& point) const {
    const double batch = axes_.batch_at(point);
    return batch > 0.0 ? step_counts(schedule_, axes_.processes_at(point), batch) : StepCounts{};
}

double TrainingModel::work_of_step(const std::vector<double>& point) const {
    // Where the batch is not known, it is that of a replica, the same on any number of processes.
    const double batch = axes_.batch_at(point);
    return replicas(schedule_, axes_.processes_at(point)) * (batch > 0.0 ? batch : 1.0);
}

std::optional<TrainingModel::Pace> TrainingModel::pace(const std::vector<double>& point) const {
    const auto time = value(has_steps_ ? step_region : epoch_region, point);
    if (!time || !(time->value > 0.0)) return std::nullopt;
    return Pace{.time = time->value, .work = has_steps_ ? work_of_step(point) : 1.0};
}

std::vector<double> TrainingModel::at_fewest(std::vector<double> point) const {
    if (!smallest_.empty()) point[axes_.processes()] = fewest_processes();
    return point;
}

std::optional<double> TrainingModel::efficiency(const std::vector<double>& point) const {
    const std::vector<double> fewest = at_fewest(point);
    const auto few = pace(fewest);
    const auto many = pace(point);
    if (!few || !many) return std::nullopt;
    const double few_processes = axes_.processes_at(fewest);
    const double processes = axes_.processes_at(point);
    if (options_.efficiency == Efficiency::extra_deep) {
        // Of the time for the same work, as that of an epoch is.
        return extra_deep_efficiency(few->time / few->work, few_processes, many->time / many->work,
                                     processes);
    }
    return (many->work / many->time / processes) / (few->work / few->time / few_processes);
}

std::optional<Factors> TrainingModel::factors(const std::vector<double>& point, double step) const {
    const auto mean = value(computation_region, point);
    if (!mean || !(step > 0.0) || !(mean->value > 0.0)) return std::nullopt;
    Factors factors;
    factors.parallel_efficiency = std::min(1.0, mean->value / step);
    factors.communication_efficiency = factors.parallel_efficiency;
    if (const auto largest = value(largest_computation_region, point)) {
        // Separate models need not have the mean below the largest.
        const double most = std::clamp(largest->value, mean->value, std::max(mean->value, step));
        factors.load_balance = mean->value / most;
        factors.communication_efficiency = std::min(1.0, most / step);
    }
    const std::vector<double> fewest = at_fewest(point);
    if (const auto few = value(computation_region, fewest)) {
        const double here = axes_.processes_at(point) * mean->value / work_of_step(point);
        const double there = axes_.processes_at(fewest) * few->value / work_of_step(fewest);
        factors.computation_scalability = there / here;
    }
    return factors;
}

std::vector<Collective> TrainingModel::collectives(const std::vector<double>& point) const {
    std::vector<Collective> result;
    for (const std::string& name : collective_names_) {
        const std::string region = std::string(collective_prefix) + name;
        const auto time = values_.at(region, time_metric, point);
        if (!time) continue;
        Collective& found = result.emplace_back();
        found.name = name;
        found.time = time->value;
        if (const auto calls = values_.at(region, visits_metric, point)) found.calls = calls->value;
        if (const auto bytes = values_.at(region, bytes_metric, point)) found.bytes = bytes->value;
        const auto factor = bus_factor(name, ranks_of(name, axes_.processes_at(point)));
        if (factor && found.time > 0.0) found.bus_bandwidth = *factor * found.bytes / found.time;
    }
    return result;
}

void TrainingModel::add_epoch(TrainingTime& time) const {
    if (!has_steps_) {
        Estimate epoch = *value(epoch_region, time.at);
        // Warm-up makes nothing faster: an epoch takes no longer than the first one.
        if (const auto first = value(first_epoch_region, time.at); first && first->value < epoch.value)
            epoch = *first;
        time.epoch = epoch;
        return;
    }
    if (schedule_.dataset_size == 0 || time.batch <= 0.0) return;
    time.steps = step_counts(schedule_, time.processes, time.batch);
    if (const std::string reason = why_none(time.at); !reason.empty())
        throw Error(ErrorKind::usage, fmt::format("at {}: {}", assignments(parameters_, time.at), reason),
                    "give --last-step keep, or fewer processes");
    Estimate epoch = times(time.steps.training, *time.step);
    if (time.steps.validation > 0.0)
        epoch = sum(epoch, times(time.steps.validation, time.validation_step.value_or(*time.step)));
    time.epoch = epoch;
}

void TrainingModel::add_training(TrainingTime& time) const {
    const auto epochs = static_cast<double>(schedule_.epochs);
    if (samples_ && time.batch > 0.0 && has_steps_) {
        const double global_batch = work_of_step(time.at);
        time.samples = samples_->at(global_batch);
        const Estimate& samples = *time.samples;
        // What is predicted to need no samples is not known.
        if (!(samples.value > 0.0) || !std::isfinite(samples.high)) return;
        const auto steps = [&](double count) { return std::ceil(std::max(count, 1.0) / global_batch); };
        time.training = Estimate{.value = steps(samples.value) * time.step->value,
                                 .low = steps(samples.low) * time.step->low,
                                 .high = steps(samples.high) * time.step->high};
        if (time.steps.validation > 0.0) {
            const Estimate validation =
                times(time.steps.validation, time.validation_step.value_or(*time.step));
            const auto size = static_cast<double>(schedule_.dataset_size);
            time.training = sum(*time.training, {.value = samples.value / size * validation.value,
                                                 .low = samples.low / size * validation.low,
                                                 .high = samples.high / size * validation.high});
        }
    } else if (time.epoch) {
        time.training = times(epochs, *time.epoch);
        if (const auto first = value(first_epoch_region, time.at); first && !has_steps_)
            time.training = sum(*first, times(epochs - 1.0, *time.epoch));
    }
    constexpr double seconds_of_an_hour = 3600.0;
    if (time.training) time.process_hours = time.processes * time.training->value / seconds_of_an_hour;
}

std::optional<StepParts> TrainingModel::step_parts(const std::vector<double>& point, double step) const {
    const auto computation = value(computation_region, point);
    const auto exposed = value(exposed_region, point);
    if (!computation || !exposed) return std::nullopt;
    const auto idle = value(idle_region, point);
    StepParts parts;
    // Separate models of the parts need not add up to that of the whole.
    if (const auto rest = value(rest_region, point)) {
        const double sum =
            std::max(0.0, computation->value) + std::max(0.0, exposed->value) + std::max(0.0, rest->value);
        if (!(sum > 0.0)) return std::nullopt;
        const double factor = step / sum;
        parts = {.computation = factor * std::max(0.0, computation->value),
                 .exposed_communication = factor * std::max(0.0, exposed->value),
                 .rest = factor * std::max(0.0, rest->value)};
        if (idle) parts.idle = std::clamp(factor * idle->value, 0.0, parts.rest);
        return parts;
    }
    parts.computation = std::clamp(computation->value, 0.0, step);
    parts.exposed_communication = std::clamp(exposed->value, 0.0, step - parts.computation);
    parts.rest = step - parts.computation - parts.exposed_communication;
    if (idle) parts.idle = std::clamp(idle->value, 0.0, parts.rest);
    return parts;
}

void TrainingModel::expect_replicas(const std::vector<double>& point) const {
    const double processes = axes_.processes_at(point);
    const bool is_whole = processes >= 1.0 && processes == std::floor(processes);
    if (is_whole && processes >= replica_processes(schedule_)) return;
    throw Error(ErrorKind::usage, fmt::format("at {}: {}", assignments(parameters_, point), why_none(point)),
                is_whole ? "give more processes, or fewer of --model-parallel and --pipeline-parallel"
                         : "give a whole number from 1");
}

TrainingTime TrainingModel::at(const std::vector<double>& point) const {
    expect_replicas(point);
    if (!value(has_steps_ ? step_region : epoch_region, point)) {
        throw Error(ErrorKind::usage,
                    fmt::format("--at {}: nothing was measured there, and there is no model",
                                assignments(parameters_, point)),
                    "leave --at out, or measure at five values of each parameter or more");
    }
    TrainingTime result{.at = point, .processes = axes_.processes_at(point), .batch = axes_.batch_at(point)};
    if (has_steps_) result.step = value(step_region, point);
    const auto paced = pace(point);
    if (!paced) return result;
    result.validation_step = value(validation_region, point);
    if (result.step) result.parts = step_parts(point, result.step->value);
    if (result.step) result.factors = factors(point, result.step->value);
    result.collectives = collectives(point);
    result.efficiency = efficiency(point);
    add_epoch(result);
    const double epoch_samples = static_cast<double>(std::max<std::uint64_t>(1, schedule_.dataset_size));
    if (!has_steps_) {
        result.throughput = epoch_samples / result.epoch->value;
    } else {
        result.throughput = (result.batch > 0.0 ? paced->work : 1.0) / paced->time;
    }
    add_training(result);
    return result;
}

}  // namespace plimsoll::training
