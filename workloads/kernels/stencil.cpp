#include "kernels/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels/meeting_point.hpp"
#include "kernels/operation_count.hpp"

namespace plimsoll::kernels {

namespace {

constexpr double rounding = 1e-9;  // relative; some hundred sweeps at 10^-16 a cell, with room

double updated(double left, double middle, double right) {
    return middle + 0.25 * (left - 2.0 * middle + right);
}

void sweep(std::span<const double> from, std::span<double> to, Range mine) {
    const std::size_t last = from.size() - 1;
    for (std::size_t i = std::max<std::size_t>(mine.begin, 1); i < std::min(mine.end, last); ++i) {
        to[i] = updated(from[i - 1], from[i], from[i + 1]);
    }
    if (mine.begin == 0 && mine.end > 0) {
        to[0] = updated(from[last], from[0], from[std::min<std::size_t>(1, last)]);
    }
    if (mine.begin <= last && mine.end > last && last > 0) {
        to[last] = updated(from[last - 1], from[last], from[0]);
    }
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double sum_of_squares(std::span<const double> values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

}  // namespace

std::uint64_t diffuse(const Team& team, std::span<double> cells, std::span<double> scratch, int sweeps) {
    OperationCount updates(team);
    MeetingPoint sweep_is_over(team);
    team.run([&](Member me) {
        const Range mine = me.share(cells.size());
        std::span<double> from = cells;
        std::span<double> to = scratch;
        for (int i = 0; i < sweeps; ++i) {
            sweep(from, to, mine);
            updates.add(me, mine.end - mine.begin);
            std::swap(from, to);
            sweep_is_over.meet();
        }
    });
    return updates.total();
}

bool is_diffused(std::span<const double> later, std::span<const double> earlier) {
    const double low = *std::min_element(earlier.begin(), earlier.end());
    const double high = *std::max_element(earlier.begin(), earlier.end());
    const double tolerance = rounding * std::max(std::abs(low), std::abs(high));
    const auto within = [&](double value) { return value >= low - tolerance && value <= high + tolerance; };
    const bool heat_is_kept =
        std::abs(sum(later) - sum(earlier)) <= tolerance * static_cast<double>(earlier.size());
    const bool is_smoother = low == high || sum_of_squares(later) < sum_of_squares(earlier);
    return heat_is_kept && is_smoother && std::all_of(later.begin(), later.end(), within);
}

}  // namespace plimsoll::kernels
