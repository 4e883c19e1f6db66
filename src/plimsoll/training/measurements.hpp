#pragma once

#include <string_view>

#include "plimsoll/experiment/experiment.hpp"

namespace plimsoll::training {

// Regions and metrics that times of a training are made of; those of profiles are docs/formats/profiles.md.
constexpr std::string_view time_metric = "time";
constexpr std::string_view bytes_metric = "bytes";
constexpr std::string_view visits_metric = "visits";
constexpr std::string_view step_region = "step";
constexpr std::string_view validation_region = "validation->step";
constexpr std::string_view epoch_region = "epoch";
constexpr std::string_view first_epoch_region = "first epoch";
constexpr std::string_view computation_region = "device->computation";
constexpr std::string_view exposed_region = "device->exposed communication";
constexpr std::string_view idle_region = "device->idle";
constexpr std::string_view largest_computation_region = "device->largest computation";
constexpr std::string_view rest_region = "device->rest";
constexpr std::string_view collective_prefix = "collective->";

/// What is measured of the steps of a training, of all that profiles tell: only this is to be modelled.
///
/// Where several processes were profiled, `device->largest computation` is added: in each repetition, how
/// long the device computed that did so longest. It makes load balance an affair of two models.
[[nodiscard]] experiment::Experiment training_measurements(experiment::Experiment profiles);

}  // namespace plimsoll::training
