#include "plimsoll/plan/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plimsoll/plan/long_loop.hpp"

namespace plimsoll::plan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

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

/// What a configuration asks of each limit, where it keeps all others; not a number where it does not, or
/// never can. A larger value is a looser limit: efficiencies are negative.
void find_asked(const Configurations& configurations, const Evaluation& e,
                const std::vector<Subject>& subjects, std::vector<double>& asked) {
    std::fill(asked.begin(), asked.end(), unknown);
    if (!configurations.has_value(e)) return;
    std::size_t missed = 0;
    std::size_t missed_subject = subjects.size();  // the only limit that is missed, where it is one of these
    configurations.for_each_limit(e, [&](const LimitCheck& check) {
        const bool is_kept = check.is_kept();
        if (!is_kept) ++missed;
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            if (!subjects[s].is(check)) continue;
            asked[s] = check.kind == LimitKind::efficiency ? -check.allowed : check.needed;
            if (!is_kept) missed_subject = s;
        }
    });
    for (std::size_t s = 0; s < subjects.size(); ++s) {
        const bool keeps_others = missed == 0 || (missed == 1 && missed_subject == s);
        if (!keeps_others || !std::isfinite(asked[s])) asked[s] = unknown;
    }
}

double as_limit(const Subject& subject, double value) {
    return subject.kind == LimitKind::efficiency ? -value : value;
}

/// What is found out of one limit and one goal's answer.
struct Search {
    Goal goal;
    std::size_t answer;
    Evaluation own;
    std::size_t subject;
    double least;  ///< what the answer asks for
    double most = infinity;
    std::optional<std::size_t> before;
    std::optional<std::size_t> behind;
};

/// Predictions on a grid have eight digits: what asks for as much but for that comes and goes together.
constexpr double rounding = 1e-7;

void take_best(const Configurations& configurations, Goal goal, std::size_t id, const Evaluation& e,
               std::optional<std::size_t>& best) {
    if (!best || is_better(goal, e, configurations.evaluate(*best))) best = id;
}

/// Looks at all configurations for all answers and limits at once.
void search(const Configurations& configurations, const std::vector<Subject>& subjects,
            std::vector<Search>& searches, Progress& progress) {
    LongLoop loop(progress, "asking what would change the answers", 2 * configurations.size());
    std::vector<double> asked(subjects.size());
    for (std::size_t id = 0; id < configurations.size() && !searches.empty(); ++id) {
        loop.reach(id);
        const Evaluation e = configurations.evaluate(id);
        find_asked(configurations, e, subjects, asked);
        for (Search& one : searches) {
            const double value = asked[one.subject];
            if (std::isnan(value) || id == one.answer) continue;
            if (value <= one.least - rounding * std::abs(one.least))
                take_best(configurations, one.goal, id, e, one.before);
            // It would be the answer, were it feasible: it asks for more than is allowed.
            if (value < one.most && is_better(one.goal, e, one.own)) one.most = value;
        }
    }
    const bool has_some =
        std::any_of(searches.begin(), searches.end(), [](const Search& one) { return one.most < infinity; });
    for (std::size_t id = 0; id < configurations.size() && has_some; ++id) {
        loop.reach(configurations.size() + id);
        const Evaluation e = configurations.evaluate(id);
        find_asked(configurations, e, subjects, asked);
        for (Search& one : searches) {
            const double value = asked[one.subject];
            if (one.most < infinity && value <= one.most + rounding * std::abs(one.most) &&
                is_better(one.goal, e, one.own))
                take_best(configurations, one.goal, id, e, one.behind);
        }
    }
}

LimitRange range_of(const Search& one, const Subject& subject) {
    LimitRange range{.kind = subject.kind,
                     .budget = subject.budget,
                     .from = as_limit(subject, one.least),
                     .to = as_limit(subject, one.most),
                     .before = one.before,
                     .behind = one.behind};
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
        result.price_factor =
            std::min(result.price_factor, configurations.job(own).price_factor(own.longest, budget.value));
    }
    if (goal != Goal::cheapest || configurations.cost() != CostKind::money || !(own.cost > 0.0)) return;
    if (configurations.machines().size() < 2) return;
    for (std::size_t id = 0; id < configurations.size(); ++id) {
        const Evaluation e = configurations.evaluate(id);
        if (e.machine == own.machine) continue;
        const double factor = configurations.job(own).price_factor(own.time, e.cost);
        if (!(factor < result.price_factor) || !configurations.is_feasible(e)) continue;
        result.price_factor = factor;
        result.at_another_price = id;
    }
}

}  // namespace

std::array<std::optional<Sensitivity>, 3> sensitivities(const Configurations& configurations,
                                                        const Choice& choice, Progress& progress) {
    const std::vector<Subject> subjects = subjects_of(configurations.limits());
    std::vector<Search> searches;
    std::vector<double> asked(subjects.size());
    for (const auto& goal : enum_names(Goal::cheapest)) {
        const auto answer = choice.best[static_cast<std::size_t>(goal.value)];
        if (!answer) continue;
        const Evaluation own = configurations.evaluate(*answer);
        find_asked(configurations, own, subjects, asked);
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            searches.push_back({.goal = goal.value,
                                .answer = *answer,
                                .own = own,
                                .subject = s,
                                .least = asked[s],
                                .before = {},
                                .behind = {}});
        }
    }
    search(configurations, subjects, searches, progress);
    std::array<std::optional<Sensitivity>, 3> result;
    for (const auto& goal : enum_names(Goal::cheapest)) {
        const auto g = static_cast<std::size_t>(goal.value);
        if (!choice.best[g]) continue;
        Sensitivity& own = result[g].emplace();
        for (const Search& one : searches) {
            if (one.goal == goal.value) own.limits.push_back(range_of(one, subjects[one.subject]));
        }
        const Evaluation answer = configurations.evaluate(*choice.best[g]);
        own.time_factor = configurations.longest_allowed(answer) / answer.longest;
        add_price(configurations, goal.value, *choice.best[g], own);
    }
    return result;
}

std::vector<Relief> reliefs(const Configurations& configurations, Progress& progress) {
    const std::vector<Subject> subjects = subjects_of(configurations.limits());
    std::vector<double> asked(subjects.size());
    std::vector<double> least(subjects.size(), infinity);
    std::vector<std::size_t> configuration(subjects.size(), 0);
    LongLoop loop(progress, "asking what would help", configurations.size());
    for (std::size_t id = 0; id < configurations.size(); ++id) {
        loop.reach(id);
        find_asked(configurations, configurations.evaluate(id), subjects, asked);
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            if (!(asked[s] < least[s])) continue;
            least[s] = asked[s];
            configuration[s] = id;
        }
    }
    std::vector<Relief> result;
    for (std::size_t s = 0; s < subjects.size(); ++s) {
        if (least[s] == infinity) continue;
        result.push_back({.kind = subjects[s].kind,
                          .budget = subjects[s].budget,
                          .needed = as_limit(subjects[s], least[s]),
                          .configuration = configuration[s]});
    }
    return result;
}

}  // namespace plimsoll::plan
