#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::kernels {

/// Time spent in a region itself, without the regions inside it.
struct RegionTime {
    std::string path;  ///< from the outermost region on: "main->compute->sort"
    std::chrono::nanoseconds exclusive{0};
};

/// Measures nested regions of one thread.
class RegionClock {
  public:
    using Clock = std::chrono::steady_clock;

    /// `now` tells the time; a test gives its own.
    explicit RegionClock(std::function<Clock::time_point()> now = Clock::now) : now_(std::move(now)) {}

    /// Ends its region when it goes away.
    class Region {
      public:
        Region(RegionClock& clock, std::string_view name) : clock_(clock) { clock_.enter(name); }
        ~Region() { clock_.leave(); }
        Region(const Region&) = delete;
        Region& operator=(const Region&) = delete;

      private:
        RegionClock& clock_;
    };

    /// In the order in which the regions began; a region entered twice stands there twice.
    [[nodiscard]] const std::vector<RegionTime>& times() const { return times_; }

  private:
    struct Open {
        std::size_t index = 0;  ///< in times_
        Clock::time_point began;
    };

    void enter(std::string_view name);
    void leave();

    std::function<Clock::time_point()> now_;
    std::vector<RegionTime> times_;
    std::vector<Open> open_;
};

}  // namespace plimsoll::kernels
