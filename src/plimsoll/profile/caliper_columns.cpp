#include "plimsoll/profile/detail/caliper_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

std::uint32_t CaliperColumns::declare(std::string_view name, std::string_view unit, bool is_hidden) {
    Column entry{.metric = caliper_metric(name), .raw_name = std::string(name)};
    entry.is_wanted = !is_hidden && !entry.metric.name.empty() && name != "mpi.rank";
    if (entry.metric.unit.empty()) entry.metric.unit = unit;
    columns_.push_back(std::move(entry));
    return static_cast<std::uint32_t>(columns_.size() - 1);
}

void CaliperColumns::forget_unit(std::uint32_t column) {
    CaliperMetric& metric = columns_[column].metric;
    metric.unit.clear();
    metric.factor = 1.0;
}

void CaliperColumns::deliver(Part& part) {
    const auto any = [&](auto condition) {
        return std::any_of(columns_.begin(), columns_.end(),
                           [&](const Column& entry) { return entry.is_wanted && condition(entry.metric); });
    };
    const bool has_mean = any([](const CaliperMetric& m) { return m.name == "time" && m.is_mean; });
    const bool has_exclusive =
        any([](const CaliperMetric& m) { return m.name == "time" && !m.is_inclusive; });
    // The time comes first, whichever columns of it the file names before.
    const auto is_time = [&](const CaliperMetric& m) {
        return m.name == "time" && !(m.is_total && has_mean) && !(m.is_inclusive && has_exclusive);
    };
    for (const Column& entry : columns_) {
        if (entry.is_wanted && is_time(entry.metric))
            (void)sink_->metric(entry.metric.name, entry.metric.unit);
    }
    std::set<std::string> taken;
    std::vector<std::string> others;
    for (Column& entry : columns_) {
        if (!entry.is_wanted) {
            if (entry.raw_name != "mpi.rank") others.push_back(entry.raw_name);
            continue;
        }
        std::string name = entry.metric.name;
        if (entry.metric.is_total && has_mean) name += ".total";
        if (entry.metric.is_inclusive && has_exclusive) name += ".inclusive";
        if (entry.metric.is_inclusive && !has_exclusive) part.is_inclusive = true;
        if (!taken.insert(name).second) name = entry.raw_name;
        entry.id = sink_->metric(name, entry.metric.unit);
    }
    if (!others.empty()) {
        sink_->builder.detail(part.place,
                              fmt::format("left out: columns that are hidden, texts or parts of others: {}",
                                          join(others, ", ")));
    }
    for (const bool are_times : {true, false}) {
        for (const Part::Value& value : values_.values()) {
            const Column& entry = columns_[experiment::index(value.metric)];
            if (!entry.is_wanted || is_time(entry.metric) != are_times) continue;
            part.add(value.region, entry.id, value.value * entry.metric.factor, value.location,
                     entry.metric.joining);
        }
    }
}

}  // namespace plimsoll::profile::detail
