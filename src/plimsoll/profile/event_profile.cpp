#include "plimsoll/profile/detail/event_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/limits.hpp"

namespace plimsoll::profile::detail {

namespace {

/// No stack holds as many calls.
constexpr std::size_t most_open = std::size_t{1} << 20U;
constexpr std::uint32_t no_node = 0xffffffff;

}  // namespace

EventProfile::EventProfile(Sink& sink, Part& part, double ticks_per_second)
    : sink_(&sink), part_(&part), ticks_per_second_(ticks_per_second) {}

void EventProfile::fail(const std::string& what) const {
    throw Error(ErrorKind::input, part_->place, what,
                "write the trace again; a program that was killed leaves a part of it");
}

std::uint32_t EventProfile::name(std::string_view text) {
    const auto [found, is_new] =
        name_ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.emplace_back(text);
    return found->second;
}

std::uint32_t EventProfile::counter(std::string_view name, std::string_view unit, Counting counting,
                                    double factor) {
    const auto [found, is_new] = quantity_ids_.try_emplace({std::string(name), std::string(unit), factor},
                                                           static_cast<std::uint32_t>(quantities_.size()));
    if (is_new)
        quantities_.push_back({.name = std::string(name), .unit = std::string(unit), .factor = factor});
    counters_.push_back({.quantity = found->second, .counting = counting});
    return static_cast<std::uint32_t>(counters_.size() - 1);
}

void EventProfile::begin_location(std::uint32_t location) {
    location_ = location;
    last_time_.reset();
    ++locations_;
}

EventProfile::Values& EventProfile::values(std::uint32_t node) {
    Values& found = values_[node];
    if (!found.is_used) used_.push_back(node);
    found.is_used = true;
    return found;
}

void EventProfile::advance(std::uint64_t time) {
    if (last_time_ && time < *last_time_) {
        fail(fmt::format("location {}: an event at {} ticks comes behind one at {}", location_, time,
                         *last_time_));
    }
    if (last_time_ && !open_.empty()) values(open_.back().node).own += time - *last_time_;
    last_time_ = time;
}

void EventProfile::enter(std::uint64_t time, std::uint32_t name) {
    advance(time);
    if (open_.size() >= most_open)
        fail(fmt::format("location {}: more than {} regions are entered and not left", location_, most_open));
    const std::uint32_t above = open_.empty() ? no_node : open_.back().node;
    if (above != no_node && nodes_[above].level >= most_levels) {
        is_folded_ = true;
        open_.push_back({.node = above, .name = name, .begin = time, .is_folded = true});
        return;
    }
    const auto [found, is_new] = node_below_.try_emplace((std::uint64_t{above} << 32U) | name,
                                                         static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
        Node made;
        made.level = above == no_node ? 1 : nodes_[above].level + 1;
        made.path =
            above == no_node ? names_[name] : experiment::path_below(nodes_[above].path, names_[name]);
        nodes_.push_back(std::move(made));
        values_.emplace_back();
    }
    ++values(found->second).visits;
    open_.push_back({.node = found->second, .name = name, .begin = time, .is_folded = false});
}

void EventProfile::close(std::uint64_t time) {
    const Frame& frame = open_.back();
    if (!frame.is_folded) values(frame.node).inclusive += time - frame.begin;
    open_.pop_back();
}

void EventProfile::leave(std::uint64_t time, std::uint32_t name) {
    advance(time);
    const auto frame = std::find_if(open_.rbegin(), open_.rend(),
                                    [name](const Frame& candidate) { return candidate.name == name; });
    if (frame == open_.rend()) {
        ++not_entered_;
        return;
    }
    for (auto within = frame - open_.rbegin(); within > 0; --within) {
        ++not_left_;
        close(time);
    }
    close(time);
}

void EventProfile::count(std::uint32_t counter, double value) {
    Counter& known = counters_[counter];
    double counted = value;
    if (known.counting == Counting::since_start) {
        const double last = std::exchange(known.last, value);
        if (std::exchange(known.read_at, locations_) != locations_) return;
        counted = value - last;
    }
    if (counted < 0.0) {
        ++counted_back_;
        return;
    }
    if (open_.empty()) return;
    std::vector<double>& list = values(open_.back().node).counted;
    if (list.size() <= known.quantity) list.resize(quantities_.size());
    list[known.quantity] += counted;
}

void EventProfile::transfer(std::uint64_t bytes) {
    if (!open_.empty()) values(open_.back().node).bytes += static_cast<double>(bytes);
}

void EventProfile::end_location() {
    not_left_ += open_.size();
    while (!open_.empty()) close(last_time_.value_or(open_.back().begin));
    if (used_.empty()) return;
    const experiment::MetricId time = sink_->metric("time", "s");
    const experiment::MetricId inclusive = sink_->metric("time.inclusive", "s");
    const experiment::MetricId visits = sink_->metric("visits", "");
    const auto seconds = [this](std::uint64_t ticks) {
        return static_cast<double>(ticks) / ticks_per_second_;
    };
    for (const std::uint32_t index : used_) {
        Node& node = nodes_[index];
        Values& found = values_[index];
        if (!node.region) node.region = sink_->builder.region(node.path);
        part_->add(*node.region, time, seconds(found.own), location_);
        part_->add(*node.region, inclusive, seconds(found.inclusive), location_);
        part_->add(*node.region, visits, static_cast<double>(found.visits), location_);
        if (found.bytes > 0.0) part_->add(*node.region, sink_->metric("bytes", "B"), found.bytes, location_);
        for (std::size_t i = 0; i < found.counted.size(); ++i) {
            const Quantity& quantity = quantities_[i];
            part_->add(*node.region, sink_->metric(quantity.name, quantity.unit),
                       quantity.factor * found.counted[i], location_);
        }
        found = {};
    }
    used_.clear();
}

void EventProfile::finish() {
    const auto note = [this](const std::string& message) { sink_->builder.note(part_->place, message); };
    if (not_left_ > 0) {
        note(fmt::format(
            "regions entered and not left: {}; they end with the region around them, or the trace",
            not_left_));
    }
    if (not_entered_ > 0)
        note(fmt::format("regions left and not entered: {}; they are left out", not_entered_));
    if (counted_back_ > 0) {
        note(fmt::format("values of counters smaller than the one before: {}; they are left out",
                         counted_back_));
    }
    if (is_folded_)
        note(fmt::format("regions more than {} levels deep count for the one at this level", most_levels));
}

}  // namespace plimsoll::profile::detail
