#include "plimsoll/plan/pareto_front.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace plimsoll::plan {

std::vector<Tradeoff> pareto_front(std::vector<Tradeoff> all) {
    std::sort(all.begin(), all.end(), [](const Tradeoff& a, const Tradeoff& b) {
        return std::tie(a.time, a.cost, a.id) < std::tie(b.time, b.cost, b.id);
    });
    std::vector<Tradeoff> front;
    for (const Tradeoff& one : all) {
        if (front.empty() || one.cost < front.back().cost) front.push_back(one);
    }
    return front;
}

std::optional<std::size_t> knee_of(std::span<const Tradeoff> front) {
    if (front.size() < 3 || !(front.front().time > 0.0) || !(front.back().cost > 0.0)) return std::nullopt;
    const double time = std::log(front.back().time / front.front().time);
    const double cost = std::log(front.front().cost / front.back().cost);
    std::optional<std::size_t> best;
    double farthest = 1e-9;  // rounding is no knee
    for (std::size_t i = 1; i + 1 < front.size(); ++i) {
        // From (0, 1) to (1, 0): below the line the sum of both is less than 1.
        const double along = std::log(front[i].time / front.front().time) / time;
        const double above = std::log(front[i].cost / front.back().cost) / cost;
        if (1.0 - along - above <= farthest) continue;
        farthest = 1.0 - along - above;
        best = i;
    }
    return best;
}

}  // namespace plimsoll::plan
