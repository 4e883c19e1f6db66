#include "plimsoll/training/training_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/transform.hpp"

namespace plimsoll::training {

namespace {

constexpr std::string_view time_metric = "time";
constexpr const char* validation_region = "validation->step";
constexpr const char* computation_region = "device->computation";
constexpr const char* exposed_region = "device->exposed communication";

/// What people call the samples of one process in one step.
constexpr std::array<std::string_view, 5> batch_names{"batch_size", "batch", "local_batch_size", "b", "bs"};

bool is_of_interest(const model::RegionModel& m) {
    return m.metric == time_metric && m.status == model::Status::ok &&
           (m.region == "step" || m.region == validation_region || m.region == computation_region ||
            m.region == exposed_region);
}

/// The parameter that counts processes. Throws a usage error where that is not clear.
std::size_t find_processes(const model::FitDocument& document, const std::string& name) {
    experiment::Experiment parameters;
    for (const std::string& parameter : document.parameters)
        parameters.parameters.push_back({.name = parameter, .unit = {}});
    if (const auto axis = experiment::processes_parameter(parameters, name)) return *axis;
    throw Error(ErrorKind::usage,
                fmt::format("which of {} counts the processes is not clear", join(document.parameters, ", ")),
                "name it with --processes-parameter");
}

Time sum(const Time& a, const Time& b) { return {a.value + b.value, a.low + b.low, a.high + b.high}; }
Time times(double factor, const Time& t) { return {factor * t.value, factor * t.low, factor * t.high}; }

}  // namespace

TrainingModel::TrainingModel(model::FitDocument document, Schedule schedule,
                             const std::string& processes_parameter, double coverage)
    : document_(std::move(document)), schedule_(std::move(schedule)), coverage_(coverage) {
    const auto has = [&](std::string_view region) {
        return std::any_of(document_.models.begin(), document_.models.end(),
                           [&](const model::RegionModel& m) { return m.region == region; });
    };
    std::string reason = "no step is marked";
    for (const model::RegionModel& m : document_.models) {
        if (m.region == "step" && m.metric == time_metric && m.status != model::Status::ok)
            reason = "the time of a step has no model: " + m.reason;
    }
    std::erase_if(document_.models, [](const model::RegionModel& m) { return !is_of_interest(m); });
    if (!has("step")) {
        throw Error(
            ErrorKind::input, reason,
            "profile steps that are marked: prof.step() of the PyTorch profiler, or NVTX ranges such as "
            "'step 12'; at five numbers of processes or more");
    }
    processes_axis_ = find_processes(document_, processes_parameter);
    const auto axis_of = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto found = std::find(document_.parameters.begin(), document_.parameters.end(), name);
        if (found == document_.parameters.end()) return std::nullopt;
        return static_cast<std::size_t>(found - document_.parameters.begin());
    };
    if (schedule_.batch.empty()) {
        for (const std::string_view name : batch_names) {
            if (!batch_axis_) batch_axis_ = axis_of(name);
        }
        expect_axes_differ();
        return;
    }
    if (const auto number = parse_number(schedule_.batch)) {
        if (!std::isfinite(*number) || *number <= 0.0) {
            throw Error(ErrorKind::usage,
                        fmt::format("--batch: '{}' is no number of samples", schedule_.batch),
                        "give a number above 0, or the name of a parameter");
        }
        fixed_batch_ = *number;
        return;
    }
    batch_axis_ = axis_of(schedule_.batch);
    if (!batch_axis_) {
        const auto near = nearest(schedule_.batch, document_.parameters);
        throw Error(ErrorKind::usage, fmt::format("--batch: there is no parameter '{}'", schedule_.batch),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("give a number, or one of {}", join(document_.parameters, ", ")));
    }
    expect_axes_differ();
}

void TrainingModel::expect_axes_differ() const {
    if (!batch_axis_ || *batch_axis_ != processes_axis_) return;
    const std::string& name = document_.parameters[processes_axis_];
    throw Error(
        ErrorKind::usage, fmt::format("'{}' cannot count both processes and samples of a batch", name),
        "where all runs had as many processes, say how many, as in --set p=4; else name the parameter with "
        "--processes-parameter");
}

std::optional<Time> TrainingModel::predict(const std::string& region,
                                           const std::vector<double>& point) const {
    model::FitDocument one;
    one.parameters = document_.parameters;
    for (const model::RegionModel& m : document_.models) {
        if (m.region == region) one.models.push_back(m);
    }
    if (one.models.empty()) return std::nullopt;
    one.models.front().predictions.clear();
    model::predict(one, point, coverage_);
    const model::Prediction& prediction = one.models.front().predictions.back();
    Time time{.value = prediction.value, .low = prediction.value, .high = prediction.value};
    if (prediction.interval) {
        time.low = prediction.interval->low;
        time.high = prediction.interval->high;
    }
    return time;
}

double TrainingModel::batch_at(const std::vector<double>& point) const {
    return batch_axis_ ? point[*batch_axis_] : fixed_batch_;
}

double TrainingModel::throughput(const std::vector<double>& point, double step) const {
    const double batch = batch_at(point);
    const double samples = batch > 0.0 ? replicas(schedule_, point[processes_axis_]) * batch : 1.0;
    return samples / step;
}

TrainingTime TrainingModel::at(const std::vector<double>& point) const {
    TrainingTime result{.at = point, .processes = point[processes_axis_], .batch = batch_at(point)};
    result.step = *predict("step", point);
    result.validation_step = predict(validation_region, point);
    const auto computation = predict(computation_region, point);
    const auto exposed = predict(exposed_region, point);
    if (computation && exposed) {
        // Separate models of the parts need not add up to that of the whole.
        StepParts parts{.computation = std::clamp(computation->value, 0.0, result.step.value)};
        parts.exposed_communication = std::clamp(exposed->value, 0.0, result.step.value - parts.computation);
        parts.rest = result.step.value - parts.computation - parts.exposed_communication;
        result.parts = parts;
    }
    result.throughput = throughput(point, result.step.value);
    std::vector<double> fewest = point;
    if (!document_.smallest.empty()) fewest[processes_axis_] = document_.smallest[processes_axis_];
    // Where the batch is not known, it is that of a replica, the same on any number of processes.
    const double groups = batch_at(point) > 0.0 ? 1.0 : replicas(schedule_, point[processes_axis_]);
    const double fewest_groups = batch_at(point) > 0.0 ? 1.0 : replicas(schedule_, fewest[processes_axis_]);
    const double reference =
        fewest_groups * throughput(fewest, predict("step", fewest)->value) / fewest[processes_axis_];
    result.efficiency = groups * result.throughput / point[processes_axis_] / reference;
    if (schedule_.dataset_size == 0 || result.batch <= 0.0) return result;
    result.steps = step_counts(schedule_, result.processes, result.batch);
    Time epoch = times(result.steps.training, result.step);
    if (result.steps.validation > 0.0)
        epoch = sum(epoch, times(result.steps.validation, result.validation_step.value_or(result.step)));
    result.epoch = epoch;
    result.training = times(static_cast<double>(schedule_.epochs), epoch);
    constexpr double seconds_of_an_hour = 3600.0;
    result.process_hours = result.processes * result.training->value / seconds_of_an_hour;
    return result;
}

}  // namespace plimsoll::training
