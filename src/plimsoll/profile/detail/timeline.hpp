#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/part.hpp"

namespace plimsoll::profile::detail {

/// Texts that occur again and again, as numbers. What `text` returns stays where it is.
class Names {
  public:
    std::uint32_t id(std::string_view text);
    [[nodiscard]] const std::string& text(std::uint32_t id) const { return texts_[id]; }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
    std::deque<std::string> texts_;
};

/// What ran when in one process, on its threads and on its devices; and the values that come of it, step by
/// step where steps are marked.
///
/// Regions: `step` (or `epoch`); below `cpu` what ran on threads, nested as it ran; below `kernel`, `memcpy`,
/// `memset` and `collective` what ran on devices, by name; below `device` how long those computed,
/// communicated, moved memory and were idle. All of a validation step stands below `validation`. Memory: 40
/// bytes an event.
class Timeline {
  public:
    enum class Kind : std::uint8_t {
        host,        ///< on a thread: nested
        call,        ///< of a collective, on a thread; counts where no device says more
        kernel,      ///< on a device, as all below
        copy,        ///< memcpy
        set,         ///< memset
        collective,  ///< a kernel that is known to be one
        wait,        ///< for a device
    };

    struct Event {
        double begin = 0.0;     ///< ticks
        double duration = 0.0;  ///< ticks
        double bytes = 0.0;     ///< moved; 0 where it is not known
        std::uint32_t name = 0;
        std::uint32_t track = 0;        ///< thread or device
        std::uint32_t correlation = 0;  ///< the same for a call and what it started on a device; 0: none
        Kind kind = Kind::host;

        [[nodiscard]] double end() const { return begin + duration; }
    };

    enum class StepKind : std::uint8_t { training, validation, epoch };

    struct Step {
        std::int64_t number = 0;
        double begin = 0.0;
        double end = 0.0;
        StepKind kind = StepKind::training;
        double latest_end = 0.0;  ///< of it and those that begin before; known once all are there
    };

    /// One tick is so many seconds.
    Timeline(Names& names, double tick) : names_(&names), tick_(tick) {}

    void add(const Event& event);
    void add_step(const Step& step) { steps_.push_back(step); }
    /// Where the device says itself when a step ran on it.
    void add_device_step(const Step& step) { device_steps_.push_back(step); }

    /// Events of one name get another.
    void rename(std::uint32_t from, std::uint32_t to) {
        for (Event& event : events_) event.name = event.name == from ? to : event.name;
    }

    [[nodiscard]] bool is_empty() const { return events_.empty() && steps_.empty(); }
    [[nodiscard]] bool has_steps() const { return !steps_.empty(); }
    [[nodiscard]] bool has_device_work() const { return has_device_work_; }

    /// Puts a part for each step into the sink, or one for all; each has what is said of the file.
    void deliver(Sink& sink, const Part& about);

  private:
    class Delivery;

    /// Steps by what the busiest device does again and again. False where there are none.
    [[nodiscard]] bool find_steps();

    Names* names_;
    double tick_;
    std::deque<Event> events_;  // which never needs twice its memory to grow
    std::vector<Step> steps_;
    std::vector<Step> device_steps_;
    bool has_device_work_ = false;
    bool has_device_collectives_ = false;
};

/// Whether something ran on a device, and was not a wait for it.
[[nodiscard]] bool is_on_device(Timeline::Kind kind);

/// Whether a kernel is one of NCCL's or RCCL's.
[[nodiscard]] bool is_collective_kernel(std::string_view name);

}  // namespace plimsoll::profile::detail
