#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/call_path.hpp"
#include "plimsoll/profile/detail/busy_time.hpp"
#include "plimsoll/profile/detail/limits.hpp"
#include "plimsoll/profile/detail/timeline.hpp"

namespace plimsoll::profile::detail {

namespace {

using experiment::RegionId;

/// Where a kind of event stands; what ran on threads is nested, and stands elsewhere.
std::string_view group_of(Timeline::Kind kind) {
    switch (kind) {
        case Timeline::Kind::host: return "cpu";
        case Timeline::Kind::kernel: return "kernel";
        case Timeline::Kind::copy: return "memcpy";
        case Timeline::Kind::set: return "memset";
        case Timeline::Kind::wait: return "wait";
        case Timeline::Kind::call:
        case Timeline::Kind::collective: break;
    }
    return "collective";
}

/// A name with arrows, which stand between levels of a path, put otherwise.
std::string without_arrows(std::string name) {
    using experiment::arrow;
    for (std::size_t at = experiment::find_arrow(name); at != std::string::npos;
         at = experiment::find_arrow(name)) {
        const bool has_blanks = at > 0 && name[at - 1] == ' ' && name.substr(at + arrow.size(), 1) == " ";
        name.replace(at, arrow.size(), has_blanks ? "to" : " to ");
    }
    return name;
}

}  // namespace

/// Turns the events into values of parts, one for each step.
class Timeline::Delivery {
  public:
    Delivery(Timeline& timeline, Sink& sink, const Part& about) : timeline_(&timeline), sink_(&sink) {
        time_ = sink.metric("time", "s");
        visits_ = sink.metric("visits", "");
        const std::vector<Step>& steps = timeline.steps_;
        parts_.assign(std::max<std::size_t>(1, steps.size()), about);
        was_busy_.assign(parts_.size(), false);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            step_of_number_.emplace(std::pair(steps[i].kind, steps[i].number), i);
            const RegionId step = region(steps[i].kind, steps[i].kind == StepKind::epoch ? "epoch" : "step");
            const double duration = timeline.tick_ * (steps[i].end - steps[i].begin);
            parts_[i].step = {.kind = std::string(prefix(steps[i].kind)),
                              .number = steps[i].number,
                              .begin = timeline.tick_ * steps[i].begin,
                              .duration = duration};
            parts_[i].add(step, time_, duration);
            parts_[i].add(step, visits_, 1.0);
        }
    }

    void deliver() {
        deliver_nested();
        deliver_device();
        deliver_busy_times();
        fill_gaps();
        if (too_deep_ > 0) {
            sink_->builder.note(parts_.front().place,
                                fmt::format("{} below {} levels count for what is above them",
                                            counted(too_deep_, "event"), most_levels));
        }
        if (outside_ > 0) {
            sink_->builder.note(parts_.front().place,
                                fmt::format("left out: {} outside of the steps", counted(outside_, "event")));
        }
        for (Part& part : parts_) sink_->parts.push_back(std::move(part));
    }

  private:
    /// The call that started something on a device.
    struct Launch {
        std::uint32_t correlation = 0;
        std::uint32_t path = 0;  ///< of what called; 0: nothing
        double begin = 0.0;
    };

    static std::string_view prefix(StepKind kind) { return kind == StepKind::validation ? "validation" : ""; }

    RegionId region(StepKind kind, std::string_view path) const {
        const std::string_view above = prefix(kind);
        return sink_->builder.region(above.empty() ? std::string(path) : experiment::path_below(above, path));
    }

    [[nodiscard]] StepKind kind_of(std::size_t part) const {
        return timeline_->steps_.empty() ? StepKind::training : timeline_->steps_[part].kind;
    }

    /// The innermost step that a time lies in; nothing outside of all. Steps of validation may lie within
    /// those of training.
    static std::optional<std::size_t> step_at(const std::vector<Step>& steps, double time) {
        const auto behind = std::upper_bound(steps.begin(), steps.end(), time,
                                             [](double t, const Step& step) { return t < step.begin; });
        for (auto step = behind; step != steps.begin();) {
            --step;
            if (time < step->end) return static_cast<std::size_t>(step - steps.begin());
            if (time >= step->latest_end) return std::nullopt;
        }
        return std::nullopt;
    }

    /// The part that an event belongs to: on a device by the device's own steps where there are any, else by
    /// the call that started it.
    std::optional<std::size_t> part_of(const Event& event, const Launch* launch) const {
        if (timeline_->steps_.empty()) return 0;
        if (!is_on_device(event.kind) || timeline_->device_steps_.empty())
            return step_at(timeline_->steps_, launch != nullptr ? launch->begin : event.begin);
        const auto step = step_at(timeline_->device_steps_, event.begin);
        if (!step) return std::nullopt;
        const Step& found = timeline_->device_steps_[*step];
        const auto same = step_of_number_.find(std::pair(found.kind, found.number));
        return same == step_of_number_.end() ? std::nullopt : std::optional(same->second);
    }

    /// A region for each kind of step that it occurs in.
    struct Regions {
        std::array<std::optional<RegionId>, 3> of_kind;
    };

    RegionId region_of_path(std::uint32_t path, StepKind kind) {
        auto& region = regions_[path].of_kind[static_cast<std::size_t>(kind)];
        if (!region) region = this->region(kind, paths_[path]);
        return *region;
    }

    /// Paths and own times of what is nested on each thread.
    void deliver_nested() {
        std::vector<const Event*> nested;
        for (const Event& event : timeline_->events_) {
            if (event.kind == Kind::host) nested.push_back(&event);
        }
        std::stable_sort(nested.begin(), nested.end(), [](const Event* a, const Event* b) {
            return std::tie(a->track, a->begin, b->duration) < std::tie(b->track, b->begin, a->duration);
        });
        struct Open {
            const Event* event;
            std::uint32_t path;
            double own;
        };
        std::vector<Open> open;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> path_ids;  // of (path above, name)
        const auto close = [&] {
            const Open done = open.back();
            open.pop_back();
            if (!open.empty()) open.back().own -= done.event->duration;
            const auto part = part_of(*done.event, nullptr);
            if (!part) {
                ++outside_;
                return;
            }
            const RegionId region = region_of_path(done.path, kind_of(*part));
            parts_[*part].add(region, time_, timeline_->tick_ * std::max(0.0, done.own));
            parts_[*part].add(region, visits_, 1.0);
            if (done.event->bytes > 0.0)
                parts_[*part].add(region, sink_->metric("bytes", "B"), done.event->bytes);
        };
        for (const Event* const event : nested) {
            // What overlaps without lying within, by rounding or otherwise, is beside.
            while (!open.empty() &&
                   (open.back().event->track != event->track || event->end() > open.back().event->end() ||
                    event->begin >= open.back().event->end()))
                close();
            const std::uint32_t above = open.empty() ? 0 : open.back().path;
            if (event->correlation != 0)
                launches_.push_back(
                    {.correlation = event->correlation, .path = above, .begin = event->begin});
            if (open.size() >= most_levels) {
                ++too_deep_;
                continue;
            }
            const auto [found, is_new] =
                path_ids.try_emplace({above, event->name}, static_cast<std::uint32_t>(paths_.size()));
            if (is_new) {
                paths_.push_back(experiment::path_below(
                    paths_[above], without_arrows(timeline_->names_->text(event->name))));
                regions_.emplace_back();
            }
            open.push_back({.event = event, .path = found->second, .own = event->duration});
        }
        while (!open.empty()) close();
        std::sort(launches_.begin(), launches_.end(),
                  [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
    }

    [[nodiscard]] const Launch* launch_of(const Event& event) const {
        if (event.correlation == 0) return nullptr;
        const auto found =
            std::lower_bound(launches_.begin(), launches_.end(), event.correlation,
                             [](const Launch& launch, std::uint32_t c) { return launch.correlation < c; });
        return found == launches_.end() || found->correlation != event.correlation ? nullptr : &*found;
    }

    void deliver_device() {
        std::map<std::tuple<StepKind, Kind, std::uint32_t>, RegionId> regions;
        for (const Event& event : timeline_->events_) {
            if (event.kind == Kind::host || (event.kind == Kind::call && timeline_->has_device_collectives_))
                continue;
            const Launch* const launch = launch_of(event);
            const auto index = part_of(event, launch);
            if (!index) {
                ++outside_;
                continue;
            }
            Part& part = parts_[*index];
            const StepKind step = kind_of(*index);
            const std::tuple key(step, event.kind, event.name);
            auto found = regions.find(key);
            if (found == regions.end()) {
                const std::string name = without_arrows(timeline_->names_->text(event.name));
                found = regions.emplace(key, region(step, experiment::path_below(group_of(event.kind), name)))
                            .first;
            }
            part.add(found->second, visits_, 1.0);
            if (event.bytes > 0.0) part.add(found->second, sink_->metric("bytes", "B"), event.bytes);
            if (event.kind == Kind::call) continue;
            part.add(found->second, time_, timeline_->tick_ * event.duration);
            if (is_on_device(event.kind) && launch != nullptr && launch->path != 0) {
                part.add(region_of_path(launch->path, step), sink_->metric("device_time", "s"),
                         timeline_->tick_ * event.duration);
            }
            if (event.kind == Kind::wait) continue;
            busy_.push_back({.event = &event, .part = *index});
        }
    }

    [[nodiscard]] Work work_of(const Event& event) const {
        if (event.kind == Kind::copy || event.kind == Kind::set) return Work::memory;
        const bool communicates =
            event.kind == Kind::collective || is_collective_kernel(timeline_->names_->text(event.name));
        return communicates ? Work::communication : Work::computation;
    }

    /// What each step's devices did all in all, as the mean of the devices that did something.
    void deliver_busy_times() {
        std::sort(busy_.begin(), busy_.end(), [](const Busy& a, const Busy& b) {
            return std::tie(a.part, a.event->track) < std::tie(b.part, b.event->track);
        });
        std::vector<WorkInterval> intervals;
        for (std::size_t begin = 0, end = 0; begin < busy_.size(); begin = end) {
            const std::size_t index = busy_[begin].part;
            was_busy_[index] = true;
            BusyTime sum;
            double devices = 0.0;
            double first = busy_[begin].event->begin;
            double last = first;
            while (end < busy_.size() && busy_[end].part == index) {
                intervals.clear();
                const std::uint32_t device = busy_[end].event->track;
                for (; end < busy_.size() && busy_[end].part == index && busy_[end].event->track == device;
                     ++end) {
                    const Event& event = *busy_[end].event;
                    intervals.push_back({.begin = event.begin, .end = event.end(), .work = work_of(event)});
                    first = std::min(first, event.begin);
                    last = std::max(last, event.end());
                }
                const BusyTime busy = busy_time(intervals);
                sum.computation += busy.computation;
                sum.communication += busy.communication;
                sum.exposed_communication += busy.exposed_communication;
                sum.memory += busy.memory;
                sum.any += busy.any;
                devices += 1.0;
            }
            const std::vector<Step>& steps = timeline_->steps_;
            const double whole = steps.empty() ? last - first : steps[index].end - steps[index].begin;
            const double factor = timeline_->tick_ / devices;
            const StepKind kind = kind_of(index);
            const auto put = [&](std::string_view name, double ticks) {
                parts_[index].add(region(kind, experiment::path_below("device", name)), time_,
                                  factor * ticks);
            };
            put("computation", sum.computation);
            put("communication", sum.communication);
            put("exposed communication", sum.exposed_communication);
            put("memory", sum.memory);
            put("idle", std::max(0.0, devices * whole - sum.any));
            idle_.try_emplace(kind, region(kind, experiment::path_below("device", "idle")));
        }
    }

    /// What does not happen in a step takes no time there. Where devices were seen, they are idle then.
    void fill_gaps() {
        const std::vector<Step>& steps = timeline_->steps_;
        if (steps.size() < 2) return;
        for (const StepKind kind : {StepKind::training, StepKind::validation, StepKind::epoch}) {
            std::set<std::pair<RegionId, experiment::MetricId>> known;
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                if (steps[i].kind != kind) continue;
                for (const Part::Value& value : parts_[i].values()) known.emplace(value.region, value.metric);
            }
            const auto idle = idle_.find(kind);  // where a device of such a step did something
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                if (steps[i].kind != kind) continue;
                if (idle != idle_.end() && !was_busy_[i])
                    parts_[i].add(idle->second, time_, timeline_->tick_ * (steps[i].end - steps[i].begin));
                for (const auto& [region, metric] : known) parts_[i].add(region, metric, 0.0);
            }
        }
    }

    /// Work of a device, and where it counts.
    struct Busy {
        const Event* event = nullptr;
        std::size_t part = 0;
    };

    Timeline* timeline_;
    Sink* sink_;
    std::vector<Part> parts_;
    std::vector<bool> was_busy_;         ///< whether a device did something, in each part
    std::map<StepKind, RegionId> idle_;  ///< of the kinds of steps in which one did
    std::map<std::pair<StepKind, std::int64_t>, std::size_t> step_of_number_;
    std::vector<std::string> paths_{"cpu"};
    std::vector<Regions> regions_{Regions{}};
    std::vector<Launch> launches_;
    std::vector<Busy> busy_;
    std::size_t outside_ = 0;
    std::size_t too_deep_ = 0;
    experiment::MetricId time_{};
    experiment::MetricId visits_{};
};

void Timeline::deliver(Sink& sink, const Part& about) {
    if (is_empty()) return;
    if (steps_.empty() && sink.steps == StepSearch::period) {
        sink.builder.note(
            about.place, find_steps() ? fmt::format("no step is marked: {} are found by what the device does "
                                                    "again and again",
                                                    counted(steps_.size(), "step"))
                                      : "no step is marked, and devices do nothing again and again");
    }
    const auto by_time = [](const Step& a, const Step& b) { return a.begin < b.begin; };
    std::stable_sort(steps_.begin(), steps_.end(), by_time);
    std::stable_sort(device_steps_.begin(), device_steps_.end(), by_time);
    for (std::vector<Step>* const steps : {&steps_, &device_steps_}) {
        double latest = -std::numeric_limits<double>::infinity();
        for (Step& step : *steps) step.latest_end = latest = std::max(latest, step.end);
    }
    Delivery(*this, sink, about).deliver();
}

}  // namespace plimsoll::profile::detail
