#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/plan/options.hpp"
#include "plimsoll/plan/scaling_answers.hpp"
#include "plimsoll/plan/sensitivity.hpp"
#include "plimsoll/training/schedule.hpp"

namespace plimsoll::app {

/// One configuration, with all that is told of it.
struct PlannedConfig {
    std::size_t id = 0;
    std::vector<double> at;  ///< [parameters]
    std::string machine;
    double processes = 0.0;
    double nodes = 0.0;
    model::Estimate time;  ///< s
    double cost = 0.0;     ///< of the median time
    double longest = 0.0;  ///< what the time stays below with the probability asked for, s
    double most = 0.0;     ///< what the cost stays below with that probability
    double efficiency = 0.0;
    double probability = 1.0;         ///< of keeping deadline, budgets and the machine's longest job together
    std::optional<double> efficient;  ///< probability of the efficiency asked for, where one is
    std::vector<plan::LimitCheck> limits;
};

/// One answer, and what would change it.
struct PlannedAnswer {
    std::string name;  ///< "cheapest", "fastest", "most-efficient" or "knee"
    PlannedConfig config;
    std::optional<plan::Sensitivity> sensitivity;  ///< not of the knee, which depends on all of the front
};

/// How far an efficiency reaches, where one is asked for.
struct PlannedScaling {
    std::vector<double> at;  ///< [parameters], with the largest values of those that do not count here
    std::optional<plan::EfficientScale> largest;
    std::string size_parameter;  ///< empty where sizes are not asked for
    struct Size {
        double processes = 0.0;
        std::optional<double> size;  ///< empty where no size that was looked at is enough
    };
    std::vector<Size> sizes;
    double largest_size = 0.0;  ///< that was looked at
};

/// The document `plimsoll.plan-config/1`.
struct PlanConfigReport {
    std::vector<std::string> parameters;
    std::size_t processes = 0;  ///< position of the parameter that counts them
    std::vector<bool> chosen;   ///< whether there is more than one value to choose from, [parameters]
    std::string time_of;
    double confidence = 0.95;
    plan::Work work = plan::Work::per_process;
    plan::Limits limits;
    plan::Amount cost;  ///< its kind and currency; the value does not count
    std::vector<plan::Machine> machines;
    std::size_t configurations = 0;
    std::size_t without_value = 0;
    std::size_t feasible = 0;
    std::vector<PlannedAnswer> answers;
    std::vector<PlannedConfig> front;  ///< of a long one, a thousand, both ends among them
    std::size_t front_size = 0;
    std::optional<PlannedConfig> nearest_miss;
    std::vector<plan::Relief> reliefs;
    std::optional<PlannedScaling> scaling;
    std::vector<PlannedConfig> others;  ///< that sensitivities and reliefs name, by their numbers
    std::vector<std::string> notes;

    /// A configuration that sensitivities or reliefs name.
    [[nodiscard]] const PlannedConfig& config(std::size_t id) const;
};

struct PlanConfigRequest {
    ModelsRequest models;
    training::Schedule schedule;
    std::string samples;  ///< measurements or models of the samples that a training needs, by global batch
    plan::ConfigOptions options;
    std::string machines;                 ///< a file
    std::vector<std::string> parameters;  ///< with their values: "p=64..4096*2"
};

/// Chooses among configurations. Throws a usage error where limits and machines do not fit together.
[[nodiscard]] PlanConfigReport plan_config(PlanConfigRequest request, Progress& progress);

}  // namespace plimsoll::app
