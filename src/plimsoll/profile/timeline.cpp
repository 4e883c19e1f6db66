#include "plimsoll/profile/detail/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/periodic_steps.hpp"

namespace plimsoll::profile::detail {

std::uint32_t Names::id(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    ids_.emplace(texts_.back(), id);
    return id;
}

bool is_on_device(Timeline::Kind kind) {
    return kind != Timeline::Kind::host && kind != Timeline::Kind::call && kind != Timeline::Kind::wait;
}

bool is_collective_kernel(std::string_view name) { return name.starts_with("nccl"); }

void Timeline::add(const Event& event) {
    events_.push_back(event);
    has_device_work_ = has_device_work_ || is_on_device(event.kind);
    has_device_collectives_ = has_device_collectives_ || event.kind == Kind::collective;
}

bool Timeline::find_steps() {
    std::map<std::uint32_t, std::size_t> counts;  // of events on each device
    std::vector<std::pair<std::uint32_t, double>> calls;
    for (const Event& event : events_) {
        if (is_on_device(event.kind)) ++counts[event.track];
        if (event.kind == Kind::host && event.correlation != 0)
            calls.emplace_back(event.correlation, event.begin);
    }
    if (counts.empty()) return false;
    std::sort(calls.begin(), calls.end());
    const std::uint32_t busiest =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    std::vector<Occurrence> occurrences;
    for (const Event& event : events_) {
        if (!is_on_device(event.kind) || event.track != busiest) continue;
        const auto call =
            std::lower_bound(calls.begin(), calls.end(),
                             std::pair(event.correlation, -std::numeric_limits<double>::infinity()));
        const bool is_known =
            event.correlation != 0 && call != calls.end() && call->first == event.correlation;
        occurrences.push_back({.begin = event.begin,
                               .end = event.end(),
                               .called = is_known ? call->second : event.begin,
                               .name = event.name});
    }
    // Streams of a device run beside one another, but what they run is called in order.
    std::stable_sort(occurrences.begin(), occurrences.end(), [](const Occurrence& a, const Occurrence& b) {
        return std::tie(a.called, a.begin) < std::tie(b.called, b.begin);
    });
    const std::vector<double> boundaries = periodic_steps(occurrences).boundaries;
    for (std::size_t i = 1; i < boundaries.size(); ++i) {
        steps_.push_back(
            {.number = static_cast<std::int64_t>(i) - 1, .begin = boundaries[i - 1], .end = boundaries[i]});
    }
    return !steps_.empty();
}

}  // namespace plimsoll::profile::detail
