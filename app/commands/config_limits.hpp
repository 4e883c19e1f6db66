#pragma once

#include <string>
#include <vector>

#include "plimsoll/plan/config_choice.hpp"
#include "plimsoll/plan/job_cost.hpp"
#include "plimsoll/plan/machine.hpp"
#include "plimsoll/plan/options.hpp"

namespace plimsoll::app {

/// Of the prices of some machines, which all have the same; empty where they have none.
[[nodiscard]] std::string currency_of(const std::vector<plan::Machine>& machines);

/// The deadline, budgets and least efficiency that are asked for. Throws a usage error where a budget is
/// given twice or in another currency, and an input error that names `file`, that of the machines, where one
/// of them does not tell what a budget needs.
[[nodiscard]] plan::Limits limits_of(const plan::ConfigOptions& options,
                                     const std::vector<plan::Machine>& machines, const std::string& file);

/// What configurations are compared by: what is asked for, else the unit of the first budget, else money,
/// else core-hours, else node-hours.
[[nodiscard]] plan::CostKind cost_of(const plan::ConfigOptions& options, const plan::Limits& limits,
                                     const std::vector<plan::Machine>& machines, const std::string& file);

/// Where a parameter counts nodes, cores or devices, that many of them are on a node. Throws an input error
/// where a machine does not say how many it has.
void count_in(const std::string& counted, const std::string& parameter, const std::string& file,
              std::vector<plan::Machine>& machines);

}  // namespace plimsoll::app
