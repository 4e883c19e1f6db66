#include "plimsoll/plan/config_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/plan/long_loop.hpp"
#include "plimsoll/plan/pareto_front.hpp"

namespace plimsoll::plan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double LimitCheck::excess() const {
    if (!(needed >= 0.0) || std::isnan(allowed)) return infinity;
    if (needed <= allowed) return allowed == infinity || needed == 0.0 ? 0.0 : needed / allowed;
    return allowed > 0.0 ? std::max(needed / allowed, std::nextafter(1.0, 2.0)) : infinity;
}

Configurations::Configurations(const Predictions& predictions, std::vector<Machine> machines, Limits limits,
                               CostKind cost)
    : predictions_(&predictions), machines_(std::move(machines)), limits_(std::move(limits)), cost_(cost) {
    const model::Grid& grid = predictions_->grid;
    for (std::size_t k = predictions_->processes + 1; k < grid.values.size(); ++k)
        behind_ *= grid.values[k].size();
    for (const Machine& machine : machines_) {
        PLIMSOLL_EXPECT(machine.charges(cost_));
        for (const Amount& budget : limits_.budgets) PLIMSOLL_EXPECT(machine.charges(budget.kind));
        for (const double p : grid.values[predictions_->processes]) jobs_.emplace_back(machine, p);
    }
}

const JobCost& Configurations::job(const Evaluation& e) const {
    const std::size_t counts = predictions_->grid.values[predictions_->processes].size();
    return jobs_[e.machine * counts + e.point / behind_ % counts];
}

double Configurations::processes(const Evaluation& e) const {
    const std::vector<double>& counts = predictions_->grid.values[predictions_->processes];
    return counts[e.point / behind_ % counts.size()];
}

Evaluation Configurations::evaluate(std::size_t id) const {
    const std::size_t points = predictions_->time.size();
    Evaluation e{.machine = id / points, .point = id % points};
    const double speed = machines_[e.machine].speed;
    e.time = predictions_->time[e.point] / speed;
    e.longest = predictions_->longest[e.point] / speed;
    e.cost = job(e).of(cost_, e.time);
    e.efficiency = predictions_->efficiency[e.point];
    return e;
}

bool Configurations::has_value(const Evaluation& e) const { return e.time > 0.0 && e.cost >= 0.0; }

bool Configurations::is_feasible(const Evaluation& e) const {
    if (!has_value(e)) return false;
    bool is_kept = true;
    for_each_limit(e, [&](const LimitCheck& limit) { is_kept = is_kept && limit.is_kept(); });
    return is_kept;
}

double Configurations::longest_allowed(const Evaluation& e) const {
    double longest = infinity;
    if (limits_.deadline) longest = limits_.deadline->count();
    if (const auto& own = machines_[e.machine].longest_job) longest = std::min(longest, own->count());
    for (const Amount& budget : limits_.budgets)
        longest = std::min(longest, job(e).longest_within(budget.kind, budget.value).value_or(-1.0));
    return longest;
}

namespace {

/// An efficiency without what rounding made of it: of configurations that are alike in it, time decides.
double without_rounding(double efficiency) {
    constexpr double step = 1e-9;
    return std::round(efficiency / step) * step;
}

}  // namespace

bool is_better(Goal goal, const Evaluation& a, const Evaluation& b) {
    switch (goal) {
        case Goal::cheapest: return std::tie(a.cost, a.time) < std::tie(b.cost, b.time);
        case Goal::fastest: return std::tie(a.time, a.cost) < std::tie(b.time, b.cost);
        case Goal::most_efficient:
            return std::tuple(-without_rounding(a.efficiency), a.time, a.cost) <
                   std::tuple(-without_rounding(b.efficiency), b.time, b.cost);
    }
    return false;
}

Choice choose(const Configurations& configurations, Progress& progress) {
    LongLoop loop(progress, "choosing", configurations.size());
    Choice choice;
    std::array<Evaluation, 3> best;
    std::vector<Tradeoff> feasible;
    double least_excess = infinity;
    for (std::size_t id = 0; id < configurations.size(); ++id) {
        loop.reach(id);
        const Evaluation e = configurations.evaluate(id);
        if (!configurations.has_value(e)) {
            ++choice.without_value;
            continue;
        }
        double excess = 0.0;
        configurations.for_each_limit(
            e, [&](const LimitCheck& limit) { excess = std::max(excess, limit.excess()); });
        if (excess > 1.0) {
            if (excess < least_excess || !choice.nearest_miss) {
                least_excess = excess;
                choice.nearest_miss = id;
            }
            continue;
        }
        feasible.push_back({.time = e.time, .cost = e.cost, .id = id});
        for (const auto& goal : enum_names(Goal::cheapest)) {
            const auto g = static_cast<std::size_t>(goal.value);
            if (goal.value == Goal::most_efficient && std::isnan(e.efficiency)) continue;
            if (choice.best[g] && !is_better(goal.value, e, best[g])) continue;
            choice.best[g] = id;
            best[g] = e;
        }
    }
    choice.feasible = feasible.size();
    if (!feasible.empty()) choice.nearest_miss.reset();
    const std::vector<Tradeoff> front = pareto_front(std::move(feasible));
    for (const Tradeoff& one : front) choice.front.push_back(one.id);
    if (const auto knee = knee_of(front)) choice.knee = front[*knee].id;
    return choice;
}

}  // namespace plimsoll::plan
