#include "plimsoll/profile/detail/busy_time.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::profile::detail {

namespace {

/// The length of a union, of intervals that come in the order of their begins.
class Union {
  public:
    void add(const WorkInterval& interval) {
        if (is_empty_ || interval.begin > end_) {
            is_empty_ = false;
            length_ += interval.end - interval.begin;
            end_ = interval.end;
        } else if (interval.end > end_) {
            length_ += interval.end - end_;
            end_ = interval.end;
        }
    }
    [[nodiscard]] double length() const { return length_; }

  private:
    bool is_empty_ = true;
    double end_ = 0.0;
    double length_ = 0.0;
};

}  // namespace

BusyTime busy_time(std::vector<WorkInterval>& intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const WorkInterval& a, const WorkInterval& b) { return a.begin < b.begin; });
    std::array<Union, 3> kinds;
    Union visible;  // of computation and communication
    Union any;
    for (const WorkInterval& interval : intervals) {
        kinds[static_cast<std::size_t>(interval.work)].add(interval);
        if (interval.work != Work::memory) visible.add(interval);
        any.add(interval);
    }
    const double computation = kinds[static_cast<std::size_t>(Work::computation)].length();
    return {.computation = computation,
            .communication = kinds[static_cast<std::size_t>(Work::communication)].length(),
            .exposed_communication = std::max(0.0, visible.length() - computation),
            .memory = kinds[static_cast<std::size_t>(Work::memory)].length(),
            .any = any.length()};
}

}  // namespace plimsoll::profile::detail
