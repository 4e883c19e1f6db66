#include "plimsoll/plan/pareto_front.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

namespace plimsoll::plan {

namespace {

/// Positive numbers are ordered as their bits are; 256 steps for each doubling.
std::uint64_t step_of(double time) { return std::bit_cast<std::uint64_t>(time) >> 44U; }

/// Leaves out what something in an earlier step of time costs no more than: most of many, and never one of
/// the front.
void leave_out_beaten(std::vector<Tradeoff>& all) {
    constexpr std::size_t worth_it = 1000;
    constexpr std::uint64_t most_steps = 100'000;
    if (all.size() < worth_it) return;
    const auto [shortest, longest] = std::minmax_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    if (!(shortest->time > 0.0)) return;
    const std::uint64_t first = step_of(shortest->time);
    const std::uint64_t steps = step_of(longest->time) - first + 1;
    if (steps > most_steps) return;
    std::vector<double> cheapest(steps + 1, std::numeric_limits<double>::infinity());  // of the step before
    for (const Tradeoff& one : all) {
        double& own = cheapest[step_of(one.time) - first + 1];
        own = std::min(own, one.cost);
    }
    for (std::size_t i = 1; i < cheapest.size(); ++i) cheapest[i] = std::min(cheapest[i], cheapest[i - 1]);
    std::erase_if(all, [&](const Tradeoff& one) { return one.cost >= cheapest[step_of(one.time) - first]; });
}

}  // namespace

std::vector<Tradeoff> pareto_front(std::vector<Tradeoff> all) {
    leave_out_beaten(all);
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
