#include "heat/slab.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace plimsoll::heat {

namespace {

constexpr double step_ratio = 0.125;  ///< dt / h^2

/// sin(a pi x) sin(b pi y) sin(c pi z).
struct Mode {
    double amplitude;
    std::array<double, 3> waves;
};
constexpr std::array<Mode, 2> modes{{{1.0, {1.0, 1.0, 1.0}}, {0.5, {2.0, 3.0, 1.0}}}};

}  // namespace

Slab::Slab(std::uint64_t n, std::uint64_t first, std::uint64_t count)
    : n_(n),
      first_(first),
      count_(count),
      values_(count * n * n),
      below_(n * n),
      above_(n * n),
      old_(n * n),
      new_(n * n) {
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        for (std::uint64_t j = 0; j < n; ++j) {
            for (std::uint64_t k = 0; k < n; ++k) values_[at++] = exact(0, first + i, j, k);
        }
    }
}

double Slab::exact(std::uint64_t step, std::uint64_t i, std::uint64_t j, std::uint64_t k) const {
    const double angle = std::numbers::pi / static_cast<double>(n_ + 1);
    double sum = 0.0;
    for (const Mode& mode : modes) {
        double factor = 1.0;
        double value = mode.amplitude;
        const std::array<std::uint64_t, 3> place{i, j, k};
        for (std::size_t d = 0; d < place.size(); ++d) {
            const double half = std::sin(0.5 * mode.waves[d] * angle);
            factor -= 4.0 * step_ratio * half * half;
            value *= std::sin(mode.waves[d] * angle * static_cast<double>(place[d] + 1));
        }
        sum += value * std::pow(factor, static_cast<double>(step));
    }
    return sum;
}

void Slab::advance_plane(std::span<const double> under, std::span<const double> plane,
                         std::span<const double> over) {
    const std::size_t n = n_;
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t at = j * n + k;
            const double left = k > 0 ? plane[at - 1] : 0.0;
            const double right = k + 1 < n ? plane[at + 1] : 0.0;
            const double front = j > 0 ? plane[at - n] : 0.0;
            const double back = j + 1 < n ? plane[at + n] : 0.0;
            // Always added in this order, so that the cut into slabs does not show in a single bit.
            const double sum = ((under[at] + over[at]) + (front + back)) + (left + right);
            new_[at] = plane[at] + step_ratio * (sum - 6.0 * plane[at]);
        }
    }
}

void Slab::advance() {
    const std::size_t plane = n_ * n_;
    old_ = below_;
    for (std::size_t i = 0; i < count_; ++i) {
        const std::span<double> current = std::span(values_).subspan(i * plane, plane);
        const std::span<const double> over =
            i + 1 < count_ ? std::span<const double>(values_).subspan((i + 1) * plane, plane)
                           : std::span<const double>(above_);
        advance_plane(old_, current, over);
        std::copy(current.begin(), current.end(), old_.begin());
        std::copy(new_.begin(), new_.end(), current.begin());
    }
}

double Slab::largest_error(std::uint64_t step) const {
    double largest = 0.0;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
        for (std::uint64_t j = 0; j < n_; ++j) {
            for (std::uint64_t k = 0; k < n_; ++k)
                largest = std::max(largest, std::abs(values_[at++] - exact(step, first_ + i, j, k)));
        }
    }
    return largest;
}

std::uint64_t Slab::checksum() const {
    std::uint64_t sum = 0;
    std::uint64_t place = first_ * n_ * n_;
    for (const double value : values_) sum += std::bit_cast<std::uint64_t>(value) * (2 * place++ + 1);
    return sum;
}

}  // namespace plimsoll::heat
