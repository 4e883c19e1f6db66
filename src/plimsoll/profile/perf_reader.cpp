#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/perf_line.hpp"
#include "plimsoll/profile/detail/text_input.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::string_view region_name = "run";
constexpr std::string_view start_mark = "# started on";
// Of the text for people, which is refused:
constexpr std::string_view text_mark = "Performance counter stats for ";
constexpr std::string_view intervals_mark = "counts unit events";  // at the end of a title

/// Units in which perf counts, and ours.
struct Unit {
    std::string_view perf;
    std::string_view name;
    double factor;
};
constexpr std::array units{Unit{"ns", "s", 1e-9}, Unit{"msec", "s", 1e-3}, Unit{"Joules", "J", 1.0},
                           Unit{"MiB", "B", 1024.0 * 1024.0}};

class Reader {
  public:
    Reader(Input& input, Sink& sink) : lines_(input, longest_line), sink_(&sink) { start(); }

    void read() {
        std::string_view line;
        while (lines_.next(line)) {
            const std::string_view text = trim(line);
            // A line of JSON has an end of its own.
            if (!lines_.is_whole() && !text.starts_with('{'))
                fail("the file ends within a line", "let perf write the file again");
            if (text.starts_with(start_mark)) finish_run();
            if (!text.empty() && !text.starts_with('#')) read_count(line);
        }
        finish_run();
        write_notes();
    }

  private:
    /// What is known of an event throughout the file.
    struct Event {
        std::string name;
        std::string unit;
        double factor = 1.0;
        double least_share = 100.0;  ///< of the time in which it was counted, %
        bool was_counted = false;
        bool is_duration = false;  ///< of the run as a whole
        std::size_t places = 0;    ///< of all runs in which it was counted
        std::size_t idle_places = 0;
        std::size_t counts = 0;  ///< at the places where it was counted at least once
        std::size_t missing_counts = 0;
    };

    /// How often perf has counted an event at one place of a run, and how often it says that it has not.
    struct Tally {
        std::size_t counts = 0;
        std::size_t missing_counts = 0;
    };

    [[noreturn]] void fail(const std::string& what,
                           const char* hint = "write it with 'perf stat -x, -o FILE'") const {
        throw Error(ErrorKind::input, Place{.file = lines_.file(), .line = lines_.number()}, what, hint);
    }

    void start() {
        part_ = {};
        part_.place = {.file = lines_.file()};
        places_.clear();
        tallies_.clear();
        counted_.clear();
        interval_.clear();
        end_ = 0.0;
        durations_.clear();
    }

    void read_count(std::string_view line) {
        const bool is_json = trim(line).starts_with('{');
        if (!is_json && !separator_) {
            separator_ = perf_separator(line);
            if (!separator_) fail("this is no count of perf stat with -x or -j");
        }
        const PerfCount count = is_json ? perf_members(line) : perf_fields(line, *separator_);
        if (!count.is_whole) fail("the line is damaged, or ends too early");
        // In JSON, the summary of intervals has none.
        if (count.is_summary || (count.interval.empty() && !interval_.empty())) return;
        if (count.event.empty() && (count.value.empty() || !count.place.empty())) return;  // derived
        if (count.event.empty()) fail(fmt::format("'{}' has no event", excerpt(count.value)));
        if (count.interval != interval_) {
            interval_ = count.interval;
            end_ = number(count.interval);
            counted_.clear();
        }
        const std::size_t id = event_id(count);
        Event& event = events_[id];
        const auto location =
            places_.try_emplace(std::string(count.place), static_cast<std::uint32_t>(places_.size()))
                .first->second;
        Tally& tally = tallies_[{id, location}];
        if (is_not_counted(count.value)) {
            ++tally.missing_counts;
            return;
        }
        ++tally.counts;
        const double value = event.factor * number(count.value);
        event.was_counted = true;
        if (const auto share = perf_number(count.share))
            event.least_share = std::min(event.least_share, *share);
        is_mean_ = is_mean_ || count.is_mean;
        if (event.is_duration) {
            durations_[{id, location}] += value;
            return;
        }
        if (!counted_.emplace(id, location).second) {
            sink_->builder.note(Place{.file = lines_.file(), .line = lines_.number()},
                                fmt::format("'{}' is counted more than once, and added up", event.name));
        }
        part_.add(sink_->builder.region(region_name), sink_->metric(event.name, event.unit), value, location);
    }

    [[nodiscard]] double number(std::string_view text) const {
        if (text.empty()) return 0.0;
        return finite_number(perf_number(text), text, [&](const std::string& what) { fail(what); });
    }

    std::size_t event_id(const PerfCount& count) {
        const auto [found, is_new] = event_ids_.try_emplace(std::string(count.event), events_.size());
        if (!is_new) return found->second;
        Event event{.name = std::string(count.event), .unit = std::string(count.unit)};
        const bool is_clock = count.event.starts_with("task-clock") || count.event.starts_with("cpu-clock");
        if (is_clock && event.unit.empty()) event.unit = "msec";  // older versions name no unit
        const auto* const known =
            std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.perf == event.unit; });
        if (known != units.end()) {
            event.unit = known->name;
            event.factor = known->factor;
        }
        // What stands behind a colon says whose time is counted, which makes no difference.
        event.is_duration = event.name.substr(0, event.name.find(':')) == "duration_time";
        if (event.is_duration) event.factor = 1e-9;  // in ns, where older versions name no unit
        events_.push_back(std::move(event));
        return found->second;
    }

    /// Puts 0 where perf says that it has not counted what it has counted elsewhere, and takes note of it.
    void fill_gaps() {
        std::set<std::size_t> counted;
        for (const auto& [at, tally] : tallies_) {
            if (tally.counts > 0 && counted.insert(at.first).second)
                events_[at.first].places += places_.size();
        }
        for (const auto& [at, tally] : tallies_) {
            Event& event = events_[at.first];
            if (!counted.contains(at.first) || event.is_duration) continue;
            if (tally.counts > 0) {
                event.counts += tally.counts + tally.missing_counts;
                event.missing_counts += tally.missing_counts;
                continue;
            }
            ++event.idle_places;
            part_.add(sink_->builder.region(region_name), sink_->metric(event.name, event.unit), 0.0,
                      at.second);
        }
    }

    void finish_run() {
        fill_gaps();
        // The time is that of the whole run, wherever perf counts it.
        double duration = durations_.empty() ? end_ : 0.0;
        for (const auto& [at, sum] : durations_) duration = std::max(duration, sum);
        if (!durations_.empty() || end_ > 0.0) {
            const experiment::RegionId region = sink_->builder.region(region_name);
            const experiment::MetricId time = sink_->metric("time", "s");
            const std::size_t locations = std::max<std::size_t>(1, places_.size());
            for (std::uint32_t i = 0; i < locations; ++i) part_.add(region, time, duration, i);
            has_time_ = true;
        }
        if (!part_.values().empty()) sink_->parts.push_back(std::move(part_));
        start();
    }

    void write_notes() {
        std::vector<std::string> absent;
        std::vector<std::string> scaled;
        std::vector<std::string> zeros;
        for (const Event& event : events_) {
            if (!event.was_counted) absent.push_back(event.name);
            if (event.was_counted && event.least_share < 100.0)
                scaled.push_back(fmt::format("{} ({} %)", event.name, shortest(event.least_share)));
            if (event.idle_places > 0) {
                zeros.push_back(fmt::format("{} (not counted at {} of {} places)", event.name,
                                            event.idle_places, event.places));
            }
            if (event.missing_counts > 0) {
                zeros.push_back(fmt::format("{} (not counted in {} of {} counts)", event.name,
                                            event.missing_counts, event.counts));
            }
        }
        const Place place{.file = lines_.file()};
        if (!absent.empty())
            sink_->builder.note(place, fmt::format("perf did not count {}", join(absent, ", ")));
        if (!zeros.empty()) {
            sink_->builder.note(place,
                                fmt::format("0 stands where perf has no count: {}", join(zeros, ", ")));
        }
        if (!scaled.empty()) {
            sink_->builder.note(place, fmt::format("perf counted a part of the time alone, and scaled up {}",
                                                   join(scaled, ", ")));
        }
        if (!has_time_)
            sink_->builder.note(place, "the time of the run is not there; count duration_time for it");
        if (is_mean_) {
            sink_->builder.note(
                place, "values are means over the runs of perf stat -r, and count as one repetition");
        }
    }

    LineReader lines_;
    Sink* sink_;
    std::optional<char> separator_;
    std::vector<Event> events_;
    std::unordered_map<std::string, std::size_t> event_ids_;
    bool is_mean_ = false;
    bool has_time_ = false;
    // Of the run that is being read:
    Part part_;
    std::unordered_map<std::string, std::uint32_t> places_;
    std::map<std::pair<std::size_t, std::uint32_t>, Tally> tallies_;  ///< by event and place
    std::set<std::pair<std::size_t, std::uint32_t>> counted_;         ///< the same, within the interval
    std::string interval_;
    double end_ = 0.0;                                                   ///< of the last interval, s
    std::map<std::pair<std::size_t, std::uint32_t>, double> durations_;  ///< by event and place, s
};

/// Whether a line is one of the text for people, which perf writes without -x.
bool is_text(std::string_view line) {
    line = trim(line);
    return line.starts_with(text_mark) || (line.starts_with('#') && line.ends_with(intervals_mark));
}

}  // namespace

bool is_perf(const experiment::Probe& probe) {
    std::string_view rest = probe.head;
    bool is_first = true;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(rest.size(), end + 1));
        const std::string_view text = trim(line);
        if (is_text(text)) return true;
        if (!is_first || text.empty() || text.starts_with('#')) continue;
        is_first = false;  // what follows may be the text for people, behind what the program says
        if (!text.starts_with('{')) {
            if (perf_separator(line)) return true;
            continue;
        }
        const PerfCount count = perf_members(line);
        if (count.is_whole && !count.event.empty() && !count.value.empty() && !count.run_time.empty())
            return true;
    }
    return false;
}

void read_perf(Input& input, Sink& sink) { Reader(input, sink).read(); }

}  // namespace plimsoll::profile::detail
