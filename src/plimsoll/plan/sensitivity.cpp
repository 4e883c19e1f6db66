#include "plimsoll/plan/sensitivity.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::plan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One limit that the user has set.
struct Subject {
    LimitKind kind;
    std::size_t budget;

    [[nodiscard]] bool is(const LimitCheck& check) const {
        return check.kind == kind && (kind != LimitKind::budget || check.budget == budget);
    }
};

std::vector<Subject> subjects_of(const Limits& limits) {
    std::vector<Subject> subjects;
    if (limits.deadline) subjects.push_back({.kind = LimitKind::deadline, .budget = 0});
    for (std::size_t b = 0; b < limits.budgets.size(); ++b)
        subjects.push_back({.kind = LimitKind::budget, .budget = b});
    if (limits.efficiency > 0.0) subjects.push_back({.kind = LimitKind::efficiency, .budget = 0});
    return subjects;
}

/// What a configuration asks of one limit, where it keeps all others; empty where it does not, or never can.
/// A larger value is a looser limit: efficiencies are negative.
std::optional<double> asked(const Configurations& configurations, const Evaluation& e,
                            const Subject& subject) {
    if (!configurations.has_value(e)) return std::nullopt;
    std::optional<double> value;
    bool others = true;
    configurations.for_each_limit(e, [&](const LimitCheck& check) {
        if (subject.is(check)) {
            value = check.kind == LimitKind::efficiency ? -check.allowed : check.needed;
        } else {
            others = others && check.is_kept();
        }
    });
    if (!others || !value || !std::isfinite(*value)) return std::nullopt;
    return value;
}

double as_limit(const Subject& subject, double value) {
    return subject.kind == LimitKind::efficiency ? -value : value;
}

LimitRange range_of(const Configurations& configurations, Goal goal, std::size_t answer,
                    const Subject& subject) {
    // Predictions on a grid have eight digits: what asks for as much but for that comes and goes together.
    constexpr double rounding = 1e-7;
    const Evaluation own = configurations.evaluate(answer);
    const double least = *asked(configurations, own, subject);
    const double below = least - rounding * std::abs(least);
    LimitRange range{.kind = subject.kind, .budget = subject.budget, .before = {}, .behind = {}};
    const auto take_best = [&](std::size_t id, const Evaluation& e, std::optional<std::size_t>& best) {
        if (!best || is_better(goal, e, configurations.evaluate(*best))) best = id;
    };
    double most = infinity;
    for (std::size_t id = 0; id < configurations.size(); ++id) {
        const Evaluation e = configurations.evaluate(id);
        const auto value = asked(configurations, e, subject);
        if (!value || id == answer) continue;
        if (*value <= below) take_best(id, e, range.before);
        // It would be the answer, were it feasible: it asks for more than is allowed.
        if (is_better(goal, e, own)) most = std::min(most, *value);
    }
    for (std::size_t id = 0; id < configurations.size() && most < infinity; ++id) {
        const Evaluation e = configurations.evaluate(id);
        const auto value = asked(configurations, e, subject);
        if (value && *value <= most + rounding * std::abs(most) && is_better(goal, e, own))
            take_best(id, e, range.behind);
    }
    range.from = as_limit(subject, least);
    range.to = as_limit(subject, most);
    if (subject.kind == LimitKind::efficiency) {
        std::swap(range.from, range.to);
        std::swap(range.before, range.behind);
        if (!std::isfinite(range.from)) range.from = 0.0;
    }
    return range;
}

void add_price(const Configurations& configurations, Goal goal, std::size_t answer, Sensitivity& result) {
    const Evaluation own = configurations.evaluate(answer);
    for (const Amount& budget : configurations.limits().budgets) {
        if (budget.kind != CostKind::money) continue;
        result.price_factor = std::min(
            result.price_factor, budget.value / configurations.job(own).of(CostKind::money, own.longest));
    }
    if (goal != Goal::cheapest || configurations.cost() != CostKind::money || !(own.cost > 0.0)) return;
    for (std::size_t id = 0; id < configurations.size(); ++id) {
        const Evaluation e = configurations.evaluate(id);
        if (e.machine == own.machine || !(e.cost / own.cost < result.price_factor) ||
            !configurations.is_feasible(e))
            continue;
        result.price_factor = e.cost / own.cost;
        result.at_another_price = id;
    }
}

}  // namespace

Sensitivity sensitivity(const Configurations& configurations, Goal goal, std::size_t answer) {
    Sensitivity result{.limits = {}, .at_another_price = {}};
    const Evaluation own = configurations.evaluate(answer);
    for (const Subject& subject : subjects_of(configurations.limits()))
        result.limits.push_back(range_of(configurations, goal, answer, subject));
    result.time_factor = configurations.longest_allowed(own) / own.longest;
    add_price(configurations, goal, answer, result);
    return result;
}

std::vector<Relief> reliefs(const Configurations& configurations) {
    std::vector<Relief> result;
    for (const Subject& subject : subjects_of(configurations.limits())) {
        double least = infinity;
        Relief relief{.kind = subject.kind, .budget = subject.budget};
        for (std::size_t id = 0; id < configurations.size(); ++id) {
            const auto value = asked(configurations, configurations.evaluate(id), subject);
            if (!value || !(*value < least)) continue;
            least = *value;
            relief.configuration = id;
        }
        if (least == infinity) continue;
        relief.needed = as_limit(subject, least);
        result.push_back(relief);
    }
    return result;
}

}  // namespace plimsoll::plan
