#include "density.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::model::accuracy {

namespace {
constexpr std::size_t bins = 4096;
}

Density::Density(double low, double high)
    : low_(low),
      bin_(std::max((high - low) / static_cast<double>(bins), 1e-300)),
      slope_(bins + 1, 0.0),
      offset_(bins + 1, 0.0) {}

void Density::bend(double position, double slope) {
    const auto bin = static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(bins)));
    slope_[bin] += slope;
    offset_[bin] += slope * position;
}

void Density::add(double low, double high, double mass) {
    const double from = (low - low_) / bin_;
    const double to = std::max((high - low_) / bin_, from + 1e-3);  // a thousandth of a bin at least
    bend(from, mass / (to - from));
    bend(to, -mass / (to - from));
}

void Density::finish() {
    below_.assign(bins + 1, 0.0);
    double slope = 0.0;
    double offset = 0.0;
    for (std::size_t i = 0; i <= bins; ++i) {
        const double at_edge = slope * static_cast<double>(i) - offset;
        below_[i] = i == 0 ? 0.0 : std::max(at_edge, below_[i - 1]);
        slope += slope_[i];
        offset += offset_[i];
    }
    const double total = below_.back();
    for (double& value : below_) value /= total;
}

double Density::below(double position) const {
    if (position <= 0.0) return 0.0;
    if (position >= static_cast<double>(bins)) return 1.0;
    const auto bin = static_cast<std::size_t>(position);
    return std::lerp(below_[bin], below_[bin + 1], position - static_cast<double>(bin));
}

double Density::quantile(double share) const {
    const auto above = std::lower_bound(below_.begin() + 1, below_.end() - 1, share);
    const double before = *(above - 1);
    const double rise = *above - before;
    const double part = rise > 0.0 ? std::clamp((share - before) / rise, 0.0, 1.0) : 0.5;
    return low_ + bin_ * (static_cast<double>(above - below_.begin() - 1) + part);
}

Density::Window Density::best_window(double length) const {
    constexpr double as_good = 1e-9;
    const double span = length / bin_;
    if (span >= static_cast<double>(bins)) {  // all of it
        return {.low = quantile(0.5) - 0.5 * length, .mass = 1.0};
    }
    double best = 0.0;
    std::size_t first = 0;
    std::size_t last = 0;
    for (std::size_t i = 0; i < bins; ++i) {
        const double mass = below(static_cast<double>(i) + span) - below_[i];
        if (mass > best + as_good) {
            best = mass;
            first = i;
        }
        if (mass > best - as_good) last = i;
    }
    return {.low = low_ + bin_ * 0.5 * static_cast<double>(first + last), .mass = best};
}

}  // namespace plimsoll::model::accuracy
