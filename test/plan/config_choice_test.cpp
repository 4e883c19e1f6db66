#include "plimsoll/plan/config_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "plimsoll/model/predictive.hpp"
#include "plimsoll/plan/sensitivity.hpp"
#include "test/support/random_posterior.hpp"

namespace plimsoll::plan {
namespace {

/// A random question, with the models that it is about.
struct Question {
    std::vector<std::unique_ptr<model::RegionModel>> models;
    Workload workload;
    model::Grid grid;
    std::vector<Machine> machines;
    Limits limits;
    CostKind cost = CostKind::money;
    double confidence = 0.95;
};

double pick(std::mt19937_64& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

bool toss(std::mt19937_64& random, double probability) { return pick(random, 0.0, 1.0) < probability; }

Machine random_machine(std::mt19937_64& random, int number) {
    Machine machine{.name = "m" + std::to_string(number)};
    machine.nodes =
        toss(random, 0.5) ? std::floor(pick(random, 1.0, 40.0)) : std::numeric_limits<double>::infinity();
    machine.processes_per_node = std::floor(pick(random, 1.0, 65.0));
    machine.cores_per_node = 2.0 * machine.processes_per_node;
    machine.devices_per_node = 4.0;
    machine.charged = toss(random, 0.7) ? Charged::nodes : Charged::used;
    constexpr CostKind per[] = {CostKind::node_hours, CostKind::core_hours, CostKind::device_hours};
    machine.price = Price{.value = pick(random, 0.1, 5.0), .currency = "EUR", .per = per[random() % 3]};
    machine.power_per_node = pick(random, 100.0, 3000.0);
    if (toss(random, 0.3))
        machine.energy_price =
            Price{.value = pick(random, 0.05, 0.5), .currency = "EUR", .per = CostKind::energy};
    if (toss(random, 0.6)) machine.granularity = Seconds(std::pow(10.0, pick(random, 0.0, 4.0)));
    if (toss(random, 0.3)) machine.minimum_time = Seconds(pick(random, 1.0, 2000.0));
    if (toss(random, 0.3)) machine.minimum_charge = pick(random, 0.1, 10.0);
    if (toss(random, 0.4)) machine.memory_per_node = std::pow(10.0, pick(random, 9.0, 12.0));
    if (toss(random, 0.3)) machine.longest_job = Seconds(std::pow(10.0, pick(random, 2.0, 5.0)));
    if (toss(random, 0.5)) machine.speed = pick(random, 0.5, 2.0);
    return machine;
}

Question random_question(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Question q;
    const std::size_t parameters = 1 + random() % 2;
    q.workload.processes = random() % parameters;
    q.workload.fewest = 4.0;
    q.workload.work = toss(random, 0.5) ? Work::in_all : Work::per_process;
    const auto add = [&](std::vector<Part>& parts, double scale) {
        q.models.push_back(std::make_unique<model::RegionModel>());
        model::RegionModel& m = *q.models.back();
        m.posterior = test::random_posterior(random, parameters, scale);
        m.function = m.posterior.forms.function(0);
        parts.push_back({.model = &m, .unit = 1.0, .times = {}});
        if (toss(random, 0.5)) {
            const std::size_t axis = q.workload.processes;
            parts.back().times = [axis](std::span<const double> point) {
                return std::ceil(1000.0 / point[axis]);
            };
        }
    };
    add(q.workload.time, std::pow(10.0, pick(random, 1.0, 4.0)));
    if (toss(random, 0.3)) add(q.workload.time, std::pow(10.0, pick(random, 1.0, 4.0)));
    if (toss(random, 0.3)) add(q.workload.memory, 1e9);
    q.grid.values.resize(parameters);
    for (std::vector<double>& axis : q.grid.values) {
        const std::size_t count = 1 + random() % 12;
        for (std::size_t i = 0; i < count; ++i)
            axis.push_back(std::ceil(4.0 * std::pow(1.7, static_cast<double>(i))));
    }
    const int machines = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < machines; ++i) q.machines.push_back(random_machine(random, i));
    constexpr CostKind kinds[] = {CostKind::money, CostKind::node_hours, CostKind::core_hours,
                                  CostKind::device_hours, CostKind::energy};
    q.cost = kinds[random() % 5];
    if (toss(random, 0.7)) q.limits.deadline = Seconds(std::pow(10.0, pick(random, 2.0, 7.0)));
    if (toss(random, 0.6))
        q.limits.budgets.push_back(
            {.kind = CostKind::money, .value = std::pow(10.0, pick(random, 0.0, 4.0)), .currency = "EUR"});
    if (toss(random, 0.2))
        q.limits.budgets.push_back({.kind = kinds[1 + random() % 4],
                                    .value = std::pow(10.0, pick(random, 0.0, 4.0)),
                                    .currency = {}});
    if (toss(random, 0.3)) q.limits.efficiency = pick(random, 0.1, 0.9);
    constexpr double confidences[] = {0.8, 0.95, 0.99};
    q.confidence = confidences[random() % 3];
    return q;
}

// ---- the slow plain reference: written from the definitions, sharing no code with what it checks

struct Row {
    std::size_t machine;
    std::vector<double> at;
    double time;
    double cost;
    double efficiency;
    bool feasible;
    double excess;  ///< of the worst limit, where it is not feasible
};

double estimate_sum(const Question& q, const std::vector<double>& at, bool upper) {
    double sum = 0.0;
    for (const Part& part : q.workload.time) {
        const model::Estimate e =
            model::predicted(part.model->posterior, part.model->function, at, 2.0 * q.confidence - 1.0);
        sum += (part.times ? part.times(at) : 1.0) * (upper ? e.high : e.value);
    }
    return sum;
}

/// The cost of a job by counting the steps of time one by one as long as there are few.
double plain_cost(const Machine& m, double processes, double seconds, CostKind kind) {
    double nodes = 1.0;
    while (nodes * m.processes_per_node < processes) nodes += 1.0;
    const double charged_nodes = m.charged == Charged::nodes ? nodes : processes / m.processes_per_node;
    double charged = seconds;
    if (m.granularity.count() > 0.0) {
        const double steps = seconds / m.granularity.count();
        double whole = std::floor(steps);
        if (steps - whole > 1e-9) whole += 1.0;
        charged = whole * m.granularity.count();
    }
    if (charged < m.minimum_time.count()) charged = m.minimum_time.count();
    const double hours = charged / 3600.0;
    const double kwh = charged_nodes * m.power_per_node / 1000.0 * seconds / 3600.0;
    const auto use = [&](CostKind k) {
        if (k == CostKind::node_hours) return charged_nodes * hours;
        if (k == CostKind::core_hours) return charged_nodes * m.cores_per_node * hours;
        if (k == CostKind::device_hours) return charged_nodes * m.devices_per_node * hours;
        return kwh;
    };
    if (kind != CostKind::money) return use(kind);
    double money = m.price->value * use(m.price->per);
    if (money < m.minimum_charge) money = m.minimum_charge;
    return money + (m.energy_price ? m.energy_price->value * kwh : 0.0);
}

std::vector<Row> all_rows(const Question& q) {
    std::vector<std::vector<double>> points{{}};
    for (const std::vector<double>& axis : q.grid.values) {
        std::vector<std::vector<double>> longer;
        for (const auto& point : points) {
            for (const double value : axis) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = longer;
    }
    std::vector<Row> rows;
    for (std::size_t i = 0; i < q.machines.size(); ++i) {
        const Machine& m = q.machines[i];
        for (const std::vector<double>& at : points) {
            const double p = at[q.workload.processes];
            const double median = estimate_sum(q, at, false);
            const double upper = estimate_sum(q, at, true) / m.speed;
            Row row{.machine = i,
                    .at = at,
                    .time = median / m.speed,
                    .cost = 0.0,
                    .efficiency = 0.0,
                    .feasible = false,
                    .excess = 0.0};
            if (!(median > 0.0)) row.time = std::numeric_limits<double>::quiet_NaN();
            std::vector<double> base = at;
            base[q.workload.processes] = q.workload.fewest;
            row.efficiency = estimate_sum(q, base, false) / median;
            if (q.workload.work == Work::in_all) row.efficiency *= q.workload.fewest / p;
            row.cost = plain_cost(m, p, row.time, q.cost);
            const auto limit = [&](double needed, double allowed) {
                row.excess = std::max(row.excess, needed / allowed);
            };
            if (q.limits.deadline) limit(upper, q.limits.deadline->count());
            if (m.longest_job) limit(upper, m.longest_job->count());
            for (const Amount& budget : q.limits.budgets)
                limit(plain_cost(m, p, upper, budget.kind), budget.value);
            if (q.limits.efficiency > 0.0) limit(q.limits.efficiency, row.efficiency);
            double nodes = 1.0;
            while (nodes * m.processes_per_node < p) nodes += 1.0;
            limit(nodes, m.nodes);
            for (const Part& part : q.workload.memory) {
                if (!m.memory_per_node) continue;
                const model::Estimate e = model::predicted(part.model->posterior, part.model->function, at,
                                                           2.0 * q.confidence - 1.0);
                limit(e.high * std::min(p, m.processes_per_node), *m.memory_per_node);
            }
            row.feasible = row.time > 0.0 && row.excess <= 1.0;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

class RandomQuestions : public ::testing::Test {
  protected:
    /// Whether a limit is met so closely that rounding decides.
    static bool is_on_the_edge(const std::vector<Row>& rows) {
        return std::any_of(rows.begin(), rows.end(),
                           [](const Row& row) { return std::abs(row.excess - 1.0) < 1e-6; });
    }
};

TEST_F(RandomQuestions, AreAnsweredAsByLookingAtEachConfiguration) {
    int decided = 0;
    int nothing = 0;
    int knees = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        SCOPED_TRACE(seed);
        const Question q = random_question(seed);
        const std::vector<Row> rows = all_rows(q);
        if (is_on_the_edge(rows)) continue;
        ++decided;
        const Predictions predictions = predict(q.workload, q.grid, q.confidence, 1, silent());
        const Configurations configurations(predictions, q.machines, q.limits, q.cost);
        const Choice choice = choose(configurations);
        ASSERT_EQ(rows.size(), configurations.size());
        std::vector<std::size_t> feasible;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Evaluation e = configurations.evaluate(i);
            ASSERT_EQ(rows[i].machine, e.machine);
            ASSERT_EQ(rows[i].at, q.grid.point(e.point));
            if (!(rows[i].time > 0.0)) continue;
            ASSERT_TRUE(near(rows[i].time, e.time)) << rows[i].time << " is not " << e.time;
            if (rows[i].feasible) feasible.push_back(i);
            ASSERT_EQ(rows[i].feasible, configurations.is_feasible(e)) << rows[i].excess;
        }
        ASSERT_EQ(feasible.size(), choice.feasible);
        if (feasible.empty()) {
            ++nothing;
            double least = std::numeric_limits<double>::infinity();
            for (const Row& row : rows) {
                if (row.time > 0.0) least = std::min(least, row.excess);
            }
            if (!std::isfinite(least)) continue;
            ASSERT_TRUE(choice.nearest_miss);
            EXPECT_TRUE(near(least, rows[*choice.nearest_miss].excess));
            continue;
        }
        EXPECT_FALSE(choice.nearest_miss);
        double cheapest = std::numeric_limits<double>::infinity();
        double fastest = cheapest;
        double most_efficient = 0.0;
        for (const std::size_t i : feasible) {
            cheapest = std::min(cheapest, rows[i].cost);
            fastest = std::min(fastest, rows[i].time);
            most_efficient = std::max(most_efficient, rows[i].efficiency);
        }
        EXPECT_TRUE(near(cheapest, rows[choice.best[0].value()].cost));
        EXPECT_TRUE(near(fastest, rows[choice.best[1].value()].time));
        EXPECT_TRUE(near(most_efficient, rows[choice.best[2].value()].efficiency));
        // Each of the front is beaten by nothing, and what is not of it is beaten by or equal to one of the
        // front.
        ASSERT_FALSE(choice.front.empty());
        for (const std::size_t i : choice.front) {
            for (const std::size_t k : feasible) {
                EXPECT_FALSE(rows[k].time < rows[i].time * (1.0 - 1e-6) &&
                             rows[k].cost < rows[i].cost * (1.0 - 1e-6));
            }
        }
        for (const std::size_t k : feasible) {
            EXPECT_TRUE(std::any_of(choice.front.begin(), choice.front.end(), [&](std::size_t i) {
                return rows[i].time <= rows[k].time * (1.0 + 1e-6) &&
                       rows[i].cost <= rows[k].cost * (1.0 + 1e-6);
            }));
        }
        // The knee by its definition.
        const auto chord = [&](std::size_t i) {
            const Row& first = rows[choice.front.front()];
            const Row& last = rows[choice.front.back()];
            return 1.0 - std::log(rows[i].time / first.time) / std::log(last.time / first.time) -
                   std::log(rows[i].cost / last.cost) / std::log(first.cost / last.cost);
        };
        if (!choice.knee) continue;
        ++knees;
        for (const std::size_t i : choice.front) EXPECT_LE(chord(i), chord(*choice.knee) + 1e-5);
    }
    EXPECT_GT(decided, 950);
    EXPECT_GT(nothing, 50);
    EXPECT_GT(knees, 50);
}

TEST_F(RandomQuestions, ChangeTheirAnswersWhereSensitivitySaysSo) {
    int changes = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        Question q = random_question(seed);
        const Predictions predictions = predict(q.workload, q.grid, q.confidence, 1, silent());
        const Configurations configurations(predictions, q.machines, q.limits, q.cost);
        const Choice choice = choose(configurations);
        const auto changes_of = sensitivities(configurations, choice);
        for (const auto& goal : enum_names(Goal::cheapest)) {
            const auto answer = choice.best[static_cast<std::size_t>(goal.value)];
            if (!answer) continue;
            SCOPED_TRACE(goal.name);
            const auto answer_with = [&](const LimitRange& range, double value) {
                Limits limits = q.limits;
                if (range.kind == LimitKind::deadline) limits.deadline = Seconds(value);
                if (range.kind == LimitKind::budget) limits.budgets[range.budget].value = value;
                if (range.kind == LimitKind::efficiency) limits.efficiency = value;
                const Configurations others(predictions, q.machines, limits, q.cost);
                return choose(others).best[static_cast<std::size_t>(goal.value)];
            };
            const auto same = [&](const std::optional<std::size_t>& a, const std::optional<std::size_t>& b) {
                if (!a || !b) return a == b;
                const Evaluation first = configurations.evaluate(*a);
                const Evaluation second = configurations.evaluate(*b);
                return !is_better(goal.value, first, second) && !is_better(goal.value, second, first);
            };
            for (const LimitRange& range : changes_of[static_cast<std::size_t>(goal.value)]->limits) {
                SCOPED_TRACE(enum_name(range.kind));
                constexpr double little =
                    2e-7;  // more than rounding, less than what tells configurations apart
                const double high = std::isfinite(range.to) ? range.to : 1e30;
                const double low = range.from > 0.0 ? range.from : 1e-12;
                EXPECT_TRUE(same(answer, answer_with(range, low * (1.0 + little))));
                EXPECT_TRUE(same(answer, answer_with(range, high * (1.0 - little))));
                if (range.from > 0.0) {
                    EXPECT_TRUE(same(range.before, answer_with(range, low * (1.0 - little))));
                    ++changes;
                }
                if (std::isfinite(range.to)) {
                    EXPECT_TRUE(same(range.behind, answer_with(range, high * (1.0 + little))));
                    ++changes;
                }
            }
        }
    }
    EXPECT_GT(changes, 300);
}

TEST_F(RandomQuestions, CanBeHelpedByWhatReliefsName) {
    int helped = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        SCOPED_TRACE(seed);
        const Question q = random_question(seed);
        const Predictions predictions = predict(q.workload, q.grid, q.confidence, 1, silent());
        const Configurations configurations(predictions, q.machines, q.limits, q.cost);
        if (choose(configurations).feasible > 0) continue;
        for (const Relief& relief : reliefs(configurations)) {
            const auto feasible_with = [&](double value) {
                Limits limits = q.limits;
                if (relief.kind == LimitKind::deadline) limits.deadline = Seconds(value);
                if (relief.kind == LimitKind::budget) limits.budgets[relief.budget].value = value;
                if (relief.kind == LimitKind::efficiency) limits.efficiency = value;
                return choose(Configurations(predictions, q.machines, limits, q.cost)).feasible;
            };
            const double tighter = relief.kind == LimitKind::efficiency ? 1.0 + 1e-9 : 1.0 - 1e-9;
            EXPECT_GT(feasible_with(relief.needed), 0U);
            EXPECT_EQ(0U, feasible_with(relief.needed * tighter));
            ++helped;
        }
    }
    EXPECT_GT(helped, 30);
}

TEST(Probability, AgreesWithTheIntervalAndWithTheChoice) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 100; ++round) {
        model::RegionModel m;
        m.posterior = test::random_posterior(random, 1, 100.0);
        Workload workload;
        workload.time.push_back({.model = &m, .unit = 1.0, .times = {}});
        const std::vector<double> point{4.0 * static_cast<double>(1 + random() % 100)};
        for (const double confidence : {0.8, 0.95, 0.99}) {
            const model::Estimate e = time_at(workload, point, 2.0 * confidence - 1.0);
            if (!(e.low > 0.0)) continue;
            EXPECT_NEAR(confidence, probability_within(workload, point, e.high), 1e-6);
            EXPECT_NEAR(1.0 - confidence, probability_within(workload, point, e.low), 1e-6);
        }
        EXPECT_EQ(0.0, probability_within(workload, point, -1.0));
        EXPECT_EQ(1.0, probability_within(workload, point, 1e12));
    }
}

TEST(Probability, IsCertainForAModelOfOneForm) {
    model::RegionModel m;
    m.function.constant = 10.0;
    Workload workload;
    workload.time.push_back({.model = &m, .unit = 1.0, .times = {}});
    const std::vector<double> point{4.0};
    EXPECT_EQ(1.0, probability_within(workload, point, 10.0));
    EXPECT_EQ(0.0, probability_within(workload, point, 9.999));
}

TEST(Probability, OfAnEfficiencyIsTheShareOfPairsOfTimes) {
    std::mt19937_64 random(11);
    int doubtful = 0;
    for (int round = 0; round < 20; ++round) {
        std::array<model::RegionModel, 2> models;
        Workload workload{.processes = 0, .fewest = 4.0, .work = Work::in_all};
        if (round % 2 == 1) workload.work = Work::per_process;
        for (model::RegionModel& m : models) {
            m.posterior = test::random_posterior(random, 1, 100.0);
            workload.time.push_back({.model = &m, .unit = 1.0, .times = {}});
        }
        const std::vector<double> fewest{4.0};
        const std::vector<double> point{32.0};
        if (!(time_at(workload, fewest, 0.9999).low > 0.0) || !(time_at(workload, point, 0.9999).low > 0.0))
            continue;
        // Times at evenly spread quantiles stand for draws.
        constexpr int draws = 300;
        std::vector<double> few;
        std::vector<double> many;
        for (int i = 0; i < draws; ++i) {
            const double share = (i + 0.5) / draws;
            const bool is_low = share < 0.5;
            const double coverage = std::max(std::abs(2.0 * share - 1.0), 1e-9);
            const auto of = [&](const std::vector<double>& at) {
                const model::Estimate e = time_at(workload, at, coverage);
                return is_low ? e.low : e.high;
            };
            few.push_back(of(fewest));
            many.push_back(of(point));
        }
        const double share = workload.work == Work::in_all ? 4.0 / 32.0 : 1.0;
        const double median = share * few[draws / 2] / many[draws / 2];
        for (const double least : {0.8 * median, median, 1.1 * median}) {
            int kept = 0;
            for (const double t0 : few) {
                for (const double t : many) kept += share * t0 >= least * t ? 1 : 0;
            }
            const double expected = static_cast<double>(kept) / (draws * draws);
            EXPECT_NEAR(expected, probability_efficient(workload, point, least), 0.02) << round;
            if (expected > 0.05 && expected < 0.95) ++doubtful;
        }
        EXPECT_EQ(1.0, probability_efficient(workload, fewest, 1.0));
        EXPECT_EQ(0.0, probability_efficient(workload, fewest, 1.01));
    }
    EXPECT_GT(doubtful, 10);
}

}  // namespace
}  // namespace plimsoll::plan
