#include "plimsoll/plan/job_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace plimsoll::plan {

namespace {

constexpr double seconds_of_an_hour = 3600.0;
constexpr double watt_seconds_of_a_kwh = 3.6e6;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

JobCost::JobCost(const Machine& machine, double processes)
    : nodes_(machine.nodes_for(processes)),
      granularity_(machine.granularity.count()),
      minimum_time_(machine.minimum_time.count()),
      minimum_charge_(machine.minimum_charge) {
    const double charged_nodes =
        machine.charged == Charged::used ? processes / machine.processes_per_node : nodes_;
    const auto hours = [&](CostKind kind, double of_a_node) {
        return machine.charges(kind) ? charged_nodes * of_a_node / seconds_of_an_hour : unknown;
    };
    node_rate_ = hours(CostKind::node_hours, 1.0);
    core_rate_ = hours(CostKind::core_hours, machine.cores_per_node);
    device_rate_ = hours(CostKind::device_hours, machine.devices_per_node);
    energy_rate_ = machine.charges(CostKind::energy)
                       ? charged_nodes * machine.power_per_node / watt_seconds_of_a_kwh
                       : unknown;
    const auto rate = [&](CostKind kind) {
        switch (kind) {
            case CostKind::node_hours: return node_rate_;
            case CostKind::core_hours: return core_rate_;
            case CostKind::device_hours: return device_rate_;
            case CostKind::energy: return energy_rate_;
            case CostKind::money: break;
        }
        return unknown;
    };
    if (!machine.charges(CostKind::money)) {
        money_rate_ = unknown;
        return;
    }
    if (machine.price && machine.price->per != CostKind::energy)
        money_rate_ = machine.price->value * rate(machine.price->per);
    for (const auto& price : {machine.price, machine.energy_price}) {
        if (price && price->per == CostKind::energy) money_of_energy_rate_ += price->value * energy_rate_;
    }
}

double JobCost::charged_seconds(double seconds) const {
    constexpr double rounding = 1e-9;  // of a step: a time that is a whole multiple but for rounding is one
    const double whole =
        granularity_ > 0.0 ? std::ceil(seconds / granularity_ - rounding) * granularity_ : seconds;
    return std::max(whole, minimum_time_);
}

double JobCost::of(CostKind kind, double seconds) const {
    switch (kind) {
        case CostKind::money: {
            const double charge = money_rate_ * charged_seconds(seconds);  // not a number stays so
            return (charge < minimum_charge_ ? minimum_charge_ : charge) + money_of_energy_rate_ * seconds;
        }
        case CostKind::node_hours: return node_rate_ * charged_seconds(seconds);
        case CostKind::core_hours: return core_rate_ * charged_seconds(seconds);
        case CostKind::device_hours: return device_rate_ * charged_seconds(seconds);
        case CostKind::energy: return energy_rate_ * seconds;
    }
    return unknown;
}

double JobCost::price_factor(double seconds, double money) const {
    const double charge = money_rate_ * charged_seconds(seconds);
    // A price for each kWh is all that there is to become dearer.
    if (money_rate_ == 0.0 && money_of_energy_rate_ > 0.0) return money / of(CostKind::money, seconds);
    return (money - money_of_energy_rate_ * seconds) / charge;
}

std::optional<double> JobCost::longest_within(CostKind kind, double amount) const {
    const auto is_within = [&](double seconds) { return of(kind, seconds) <= amount; };
    if (!is_within(0.0)) return std::nullopt;
    // Positive numbers are ordered as their bits are: half of what is left goes with each look.
    constexpr double most = std::numeric_limits<double>::max();
    auto low = std::bit_cast<std::uint64_t>(0.0);
    auto high = std::bit_cast<std::uint64_t>(most);
    if (is_within(most)) return std::numeric_limits<double>::infinity();
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (is_within(std::bit_cast<double>(middle)) ? low : high) = middle;
    }
    return std::bit_cast<double>(low);
}

}  // namespace plimsoll::plan
