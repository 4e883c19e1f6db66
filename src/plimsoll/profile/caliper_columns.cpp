#include "plimsoll/profile/detail/caliper_columns.hpp"

#include <algorithm>
#include <set>

namespace plimsoll::profile::detail {

void CaliperColumns::declare(std::uint32_t column, std::string_view name, std::string_view unit,
                             bool is_hidden) {
    Column entry{.metric = caliper_metric(name), .raw_name = std::string(name)};
    entry.is_wanted = !is_hidden && !entry.metric.name.empty() && name != "mpi.rank";
    if (entry.metric.unit.empty()) entry.metric.unit = unit;
    columns_.emplace(column, std::move(entry));
    order_.push_back(column);
}

void CaliperColumns::forget_unit(std::uint32_t column) {
    CaliperMetric& metric = columns_.at(column).metric;
    metric.unit.clear();
    metric.factor = 1.0;
}

void CaliperColumns::deliver(Part& part) {
    const auto any = [&](auto condition) {
        return std::any_of(order_.begin(), order_.end(), [&](std::uint32_t column) {
            const Column& entry = columns_.at(column);
            return entry.is_wanted && condition(entry.metric);
        });
    };
    const bool has_mean = any([](const CaliperMetric& m) { return m.name == "time" && m.is_mean; });
    const bool has_exclusive =
        any([](const CaliperMetric& m) { return m.name == "time" && !m.is_inclusive; });
    std::set<std::string> taken;
    for (const std::uint32_t column : order_) {
        Column& entry = columns_.at(column);
        if (!entry.is_wanted) continue;
        std::string name = entry.metric.name;
        if (entry.metric.is_total && has_mean) name += ".total";
        if (entry.metric.is_inclusive && has_exclusive) name += ".inclusive";
        if (entry.metric.is_inclusive && !has_exclusive) part.is_inclusive = true;
        if (!taken.insert(name).second) name = entry.raw_name;
        entry.id = sink_->metric(name, entry.metric.unit);
    }
    for (const Part::Value& value : values_.values()) {
        const Column& entry = columns_.at(static_cast<std::uint32_t>(value.metric));
        if (entry.is_wanted)
            part.add(value.region, entry.id, value.value * entry.metric.factor, value.location,
                     entry.metric.joining);
    }
}

}  // namespace plimsoll::profile::detail
