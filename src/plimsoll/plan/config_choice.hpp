#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "plimsoll/core/options.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/core/seconds.hpp"
#include "plimsoll/plan/amount.hpp"
#include "plimsoll/plan/job_cost.hpp"
#include "plimsoll/plan/machine.hpp"
#include "plimsoll/plan/predictions.hpp"

namespace plimsoll::plan {

/// What a configuration may not go beyond.
struct Limits {
    std::optional<Seconds> deadline;
    std::vector<Amount> budgets;
    double efficiency = 0.0;  ///< least, by the medians; 0: any
};

/// Why a configuration cannot be taken.
enum class LimitKind { deadline, budget, efficiency, longest_job, nodes, memory };
[[nodiscard]] constexpr std::array<EnumName<LimitKind>, 6> enum_names(LimitKind) {
    return {{{LimitKind::deadline, "deadline"},
             {LimitKind::budget, "budget"},
             {LimitKind::efficiency, "efficiency"},
             {LimitKind::longest_job, "longest-job"},
             {LimitKind::nodes, "nodes"},
             {LimitKind::memory, "memory"}}};
}

/// A limit as it concerns one configuration. What is needed is at most what is allowed where it is kept, but
/// for the efficiency, which is then no less.
struct LimitCheck {
    LimitKind kind = LimitKind::deadline;
    std::size_t budget = 0;  ///< position among the budgets
    double needed = 0.0;     ///< s, an amount, a share, nodes or bytes
    double allowed = 0.0;    ///< likewise
    /// How many times as much is needed as is allowed; infinite where what is needed is not known.
    [[nodiscard]] double excess() const;
    [[nodiscard]] bool is_kept() const { return excess() <= 1.0; }
};

/// A configuration with what is predicted of it.
struct Evaluation {
    std::size_t machine = 0;
    std::size_t point = 0;  ///< of the grid
    double time = 0.0;      ///< median, s
    double longest = 0.0;   ///< what the time stays below with the probability asked for, s
    double cost = 0.0;      ///< of the median time; rises with the time, and so is the median cost
    double efficiency = 0.0;
};

/// All configurations: each point of a grid on each machine, numbered by machine, then by point. They are
/// evaluated when they are asked for.
class Configurations {
  public:
    /// `cost` is what they are compared by; each machine has to charge it and the kinds of the budgets. Keeps
    /// a reference to the predictions.
    Configurations(const Predictions& predictions, std::vector<Machine> machines, Limits limits,
                   CostKind cost);

    [[nodiscard]] std::size_t size() const { return machines_.size() * predictions_->time.size(); }
    [[nodiscard]] const std::vector<Machine>& machines() const { return machines_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    [[nodiscard]] const Predictions& predictions() const { return *predictions_; }
    [[nodiscard]] CostKind cost() const { return cost_; }

    [[nodiscard]] Evaluation evaluate(std::size_t id) const;
    [[nodiscard]] const JobCost& job(const Evaluation& evaluation) const;
    [[nodiscard]] double processes(const Evaluation& evaluation) const;

    /// Calls `visit(LimitCheck)` for each limit that concerns a configuration.
    template <class Visit>
    void for_each_limit(const Evaluation& e, const Visit& visit) const {
        const Machine& machine = machines_[e.machine];
        if (limits_.deadline) visit(LimitCheck{LimitKind::deadline, 0, e.longest, limits_.deadline->count()});
        for (std::size_t b = 0; b < limits_.budgets.size(); ++b) {
            visit(LimitCheck{LimitKind::budget, b, job(e).of(limits_.budgets[b].kind, e.longest),
                             limits_.budgets[b].value});
        }
        if (limits_.efficiency > 0.0)
            visit(LimitCheck{LimitKind::efficiency, 0, limits_.efficiency, e.efficiency});
        if (machine.longest_job)
            visit(LimitCheck{LimitKind::longest_job, 0, e.longest, machine.longest_job->count()});
        visit(LimitCheck{LimitKind::nodes, 0, job(e).nodes(), machine.nodes});
        if (predictions_->memory.empty()) return;
        if (const auto memory = machine.memory_of_a_process(processes(e), predictions_->memory_place))
            visit(LimitCheck{LimitKind::memory, 0, predictions_->memory[e.point], *memory});
    }

    [[nodiscard]] bool has_value(const Evaluation& e) const;
    [[nodiscard]] bool is_feasible(const Evaluation& e) const;

    /// The longest time, s, that keeps deadline, budgets and the machine's limit; infinite where there is
    /// none, and negative where no time does.
    [[nodiscard]] double longest_allowed(const Evaluation& e) const;

  private:
    const Predictions* predictions_;
    std::vector<Machine> machines_;
    Limits limits_;
    CostKind cost_;
    std::size_t behind_ = 1;     ///< points with one number of processes that follow one another
    std::vector<JobCost> jobs_;  ///< [machines x numbers of processes]
};

/// What is looked for.
enum class Goal { cheapest, fastest, most_efficient };
[[nodiscard]] constexpr std::array<EnumName<Goal>, 3> enum_names(Goal) {
    return {
        {{Goal::cheapest, "cheapest"}, {Goal::fastest, "fastest"}, {Goal::most_efficient, "most-efficient"}}};
}

/// Whether one configuration comes before another: by the goal, then by time and cost; false for equal ones.
[[nodiscard]] bool is_better(Goal goal, const Evaluation& a, const Evaluation& b);

/// What was chosen, by the configurations' numbers.
struct Choice {
    std::size_t without_value = 0;  ///< configurations of which nothing can be predicted
    std::size_t feasible = 0;
    std::array<std::optional<std::size_t>, 3> best;  ///< for each goal; of equal ones the first
    std::vector<std::size_t> front;                  ///< of time and cost, by rising time
    std::optional<std::size_t> knee;
    /// Where nothing is feasible: the configuration whose worst limit is missed by the least factor.
    std::optional<std::size_t> nearest_miss;
};

[[nodiscard]] Choice choose(const Configurations& configurations, Progress& progress = silent());

}  // namespace plimsoll::plan
