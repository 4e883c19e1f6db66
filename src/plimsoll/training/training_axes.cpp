#include "plimsoll/training/training_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/transform.hpp"

namespace plimsoll::training {

namespace {

/// What people call the samples of one process in one step.
constexpr std::array<std::string_view, 5> batch_names{"batch_size", "batch", "local_batch_size", "b", "bs"};

/// The parameter that counts processes. Throws a usage error where that is not clear.
std::size_t find_processes(const std::vector<std::string>& names, const std::string& name) {
    experiment::Experiment parameters;
    for (const std::string& parameter : names)
        parameters.parameters.push_back({.name = parameter, .unit = {}});
    if (const auto axis = experiment::processes_parameter(parameters, name)) return *axis;
    throw Error(ErrorKind::usage,
                fmt::format("which of {} counts the processes is not clear", join(names, ", ")),
                "name it with --processes-parameter");
}

std::optional<std::size_t> axis_of(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

TrainingAxes::TrainingAxes(const std::vector<std::string>& parameters, const std::string& processes_parameter,
                           const Schedule& schedule)
    : schedule_(schedule), processes_(find_processes(parameters, processes_parameter)) {
    find_batch(parameters);
    if (!batch_ || *batch_ != processes_) return;
    throw Error(
        ErrorKind::usage,
        fmt::format("'{}' cannot count both processes and samples of a batch", parameters[processes_]),
        "where all runs had as many processes, say how many, as in --set p=4; else name the parameter with "
        "--processes-parameter");
}

void TrainingAxes::find_batch(const std::vector<std::string>& parameters) {
    if (schedule_.batch.empty()) {
        for (const std::string_view name : batch_names) {
            if (!batch_) batch_ = axis_of(parameters, name);
        }
        return;
    }
    if (const auto number = parse_number(schedule_.batch)) {
        constexpr double most = 1e15;  // exact as a double
        if (!(*number >= 1.0) || *number > most || *number != std::floor(*number)) {
            throw Error(ErrorKind::usage,
                        fmt::format("--batch: '{}' is no number of samples", schedule_.batch),
                        "give a whole number from 1, or the name of a parameter");
        }
        fixed_batch_ = *number;
        return;
    }
    batch_ = axis_of(parameters, schedule_.batch);
    if (!batch_) {
        const auto near = nearest(schedule_.batch, parameters);
        throw Error(ErrorKind::usage, fmt::format("--batch: there is no parameter '{}'", schedule_.batch),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("give a number, or one of {}", join(parameters, ", ")));
    }
}

double TrainingAxes::batch_at(std::span<const double> point) const {
    const double batch = batch_ ? point[*batch_] : fixed_batch_;
    if (schedule_.batch_is == BatchIs::replica || !(batch > 0.0)) return batch;
    const double count = replicas(schedule_, processes_at(point));
    return count >= 1.0 ? batch / count : 0.0;
}

}  // namespace plimsoll::training
