#include "kernels/region_clock.hpp"

#include <fmt/core.h>

namespace plimsoll::kernels {

void RegionClock::enter(std::string_view name) {
    std::string path =
        open_.empty() ? std::string(name) : fmt::format("{}->{}", times_[open_.back().index].path, name);
    times_.push_back({.path = std::move(path)});
    open_.push_back({.index = times_.size() - 1, .began = now_()});
}

void RegionClock::leave() {
    const auto inclusive = std::chrono::duration_cast<std::chrono::nanoseconds>(now_() - open_.back().began);
    times_[open_.back().index].exclusive += inclusive;
    open_.pop_back();
    if (!open_.empty()) {
        times_[open_.back().index].exclusive -= inclusive;
    }
}

}  // namespace plimsoll::kernels
