#include "app/commands/config_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plimsoll/core/duration.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

namespace {

/// What a machine's description lacks to be charged in some unit.
std::string lacking(plan::CostKind kind) {
    switch (kind) {
        case plan::CostKind::money: return "price";
        case plan::CostKind::core_hours: return "cores-per-node";
        case plan::CostKind::device_hours: return "gpus-per-node";
        case plan::CostKind::energy: return "power-per-node";
        case plan::CostKind::node_hours: break;
    }
    return {};
}

/// Throws where a machine does not tell what its use costs in this unit; `asked_by` names who wants to know.
void check_charges(const std::vector<plan::Machine>& machines, const std::string& file, plan::CostKind kind,
                   const std::string& asked_by) {
    for (const plan::Machine& machine : machines) {
        if (machine.charges(kind)) continue;
        throw Error(ErrorKind::input, Place{.file = file},
                    fmt::format("'{}' has no {}, which {} needs", machine.name, lacking(kind), asked_by),
                    fmt::format("write {} for this machine", lacking(kind)));
    }
}

}  // namespace

std::string currency_of(const std::vector<plan::Machine>& machines) {
    for (const plan::Machine& machine : machines) {
        for (const auto& price : {machine.price, machine.energy_price}) {
            if (price) return price->currency;
        }
    }
    return {};
}

plan::Limits limits_of(const plan::ConfigOptions& options, const std::vector<plan::Machine>& machines,
                       const std::string& file) {
    plan::Limits limits{.deadline = {}, .budgets = {}, .efficiency = options.efficiency};
    if (!options.deadline.empty()) limits.deadline = duration_of("--deadline", options.deadline);
    const std::string currency = currency_of(machines);
    for (const std::string& text : options.budget) {
        plan::Amount budget = plan::parse_amount("--budget", text);
        for (const plan::Amount& other : limits.budgets) {
            if (other.kind == budget.kind)
                throw Error(ErrorKind::usage, fmt::format("--budget: '{}' is a second one of its kind", text),
                            "give one budget of each kind");
        }
        check_charges(machines, file, budget.kind, fmt::format("--budget {}", text));
        if (budget.kind == plan::CostKind::money && budget.currency != currency)
            throw Error(ErrorKind::usage,
                        fmt::format("--budget: '{}' is in {}, and the prices of {} are in {}", text,
                                    budget.currency, file, currency),
                        fmt::format("give the budget in {}", currency));
        limits.budgets.push_back(std::move(budget));
    }
    return limits;
}

plan::CostKind cost_of(const plan::ConfigOptions& options, const plan::Limits& limits,
                       const std::vector<plan::Machine>& machines, const std::string& file) {
    for (const auto& kind : enum_names(plan::CostKind::money)) {
        if (kind.name != enum_name(options.cost)) continue;
        check_charges(machines, file, kind.value, fmt::format("--cost {}", kind.name));
        return kind.value;
    }
    if (!limits.budgets.empty()) return limits.budgets.front().kind;
    for (const plan::CostKind kind : {plan::CostKind::money, plan::CostKind::core_hours}) {
        if (std::all_of(machines.begin(), machines.end(),
                        [&](const plan::Machine& machine) { return machine.charges(kind); }))
            return kind;
    }
    return plan::CostKind::node_hours;
}

void count_in(const std::string& counted, const std::string& parameter, const std::string& file,
              std::vector<plan::Machine>& machines) {
    for (plan::Machine& machine : machines) {
        if (counted == "nodes") machine.processes_per_node = 1.0;
        if (counted == "cores") machine.processes_per_node = machine.cores_per_node;
        if (counted == "devices") machine.processes_per_node = machine.devices_per_node;
        if (machine.processes_per_node > 0.0) continue;
        const char* const key = counted == "cores" ? "cores-per-node" : "gpus-per-node";
        throw Error(ErrorKind::input, Place{.file = file},
                    fmt::format("'{}' has no {}, and '{}' counts {}", machine.name, key, parameter, counted),
                    fmt::format("write {} for this machine", key));
    }
}

}  // namespace plimsoll::app
