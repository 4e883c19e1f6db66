#include "plimsoll/plan/machine.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::plan {

bool Machine::charges(CostKind kind) const {
    switch (kind) {
        case CostKind::money: return price.has_value() || energy_price.has_value();
        case CostKind::node_hours: return true;
        case CostKind::core_hours: return cores_per_node > 0.0;
        case CostKind::device_hours: return devices_per_node > 0.0;
        case CostKind::energy: return power_per_node > 0.0;
    }
    return false;
}

double Machine::nodes_for(double processes) const {
    constexpr double rounding = 1e-9;  // of a quotient of numbers that are whole
    return std::max(1.0, std::ceil(processes / processes_per_node - rounding));
}

std::optional<double> Machine::memory_of_a_process(double processes, MemoryPlace place) const {
    const double on_a_node = std::max(1.0, std::min(processes, processes_per_node));
    if (place == MemoryPlace::device && memory_per_device && devices_per_node > 0.0) {
        // Several processes may share a device, and one process may have several.
        return *memory_per_device * devices_per_node / std::max(1.0, processes_per_node);
    }
    if (memory_per_node) return *memory_per_node / on_a_node;
    return std::nullopt;
}

}  // namespace plimsoll::plan
