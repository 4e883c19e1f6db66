#include "plimsoll/plan/job_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace plimsoll::plan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// 2 EUR for each node hour, charged by the hour, on nodes of 64 cores, 4 GPUs and 500 W.
Machine usual_machine() {
    return {.name = "usual",
            .nodes = 100.0,
            .processes_per_node = 64.0,
            .cores_per_node = 64.0,
            .devices_per_node = 4.0,
            .price = Price{.value = 2.0, .currency = "EUR", .per = CostKind::node_hours},
            .granularity = Seconds(3600.0),
            .power_per_node = 500.0};
}

/// A machine with random prices, steps and minima; each may be absent.
Machine random_machine(std::mt19937_64& random) {
    std::uniform_real_distribution<double> share;
    Machine machine = usual_machine();
    machine.processes_per_node = 1.0 + std::floor(128.0 * share(random));
    machine.charged = share(random) < 0.5 ? Charged::nodes : Charged::used;
    constexpr CostKind per[] = {CostKind::node_hours, CostKind::core_hours, CostKind::device_hours,
                                CostKind::energy};
    machine.price = Price{.value = 10.0 * share(random), .currency = "EUR", .per = per[random() % 4]};
    if (share(random) < 0.3)
        machine.energy_price = Price{.value = share(random), .currency = "EUR", .per = CostKind::energy};
    machine.granularity = Seconds(share(random) < 0.3 ? 0.0 : std::pow(10.0, 4.0 * share(random)));
    machine.minimum_time = Seconds(share(random) < 0.5 ? 0.0 : 1000.0 * share(random));
    machine.minimum_charge = share(random) < 0.5 ? 0.0 : 5.0 * share(random);
    return machine;
}

TEST(JobCost, ChargesWholeNodesForBegunHours) {
    const JobCost job(usual_machine(), 65.0);
    EXPECT_EQ(2.0, job.nodes());
    EXPECT_EQ(4.0, job.of(CostKind::money, 1.0)) << "two nodes for an hour that has begun";
    EXPECT_EQ(4.0, job.of(CostKind::money, 3600.0));
    EXPECT_EQ(8.0, job.of(CostKind::money, 3600.5));
    EXPECT_EQ(2.0, job.of(CostKind::node_hours, 10.0));
    EXPECT_EQ(128.0, job.of(CostKind::core_hours, 10.0));
    EXPECT_EQ(8.0, job.of(CostKind::device_hours, 10.0));
    EXPECT_DOUBLE_EQ(0.5, job.of(CostKind::energy, 1800.0)) << "energy is used, not charged by the hour";
}

TEST(JobCost, ChargesWhatIsUsedWhereNodesAreShared) {
    Machine machine = usual_machine();
    machine.charged = Charged::used;
    machine.granularity = Seconds(0.0);
    EXPECT_DOUBLE_EQ(2.0 * 16.0 / 64.0, JobCost(machine, 16.0).of(CostKind::money, 3600.0));
    EXPECT_DOUBLE_EQ(16.0, JobCost(machine, 16.0).of(CostKind::core_hours, 3600.0));
}

TEST(JobCost, AddsEnergyToThePriceAndKeepsTheMinimumCharge) {
    Machine machine = usual_machine();
    machine.energy_price = Price{.value = 0.4, .currency = "EUR", .per = CostKind::energy};
    machine.minimum_charge = 3.0;
    const JobCost job(machine, 64.0);
    EXPECT_DOUBLE_EQ(3.0 + 0.4 * 0.5, job.of(CostKind::money, 3600.0));
    EXPECT_DOUBLE_EQ(4.0 + 0.4 * 1.0, job.of(CostKind::money, 7200.0));
}

TEST(JobCost, ChargesAtLeastTheMinimumTime) {
    Machine machine = usual_machine();
    machine.granularity = Seconds(60.0);
    machine.minimum_time = Seconds(600.0);
    const JobCost job(machine, 64.0);
    EXPECT_EQ(600.0, job.charged_seconds(1.0));
    EXPECT_EQ(660.0, job.charged_seconds(601.0));
}

TEST(JobCost, TakesAWholeMultipleForOneInSpiteOfRounding) {
    Machine machine = usual_machine();
    machine.granularity = Seconds(0.1);
    const JobCost job(machine, 64.0);
    EXPECT_DOUBLE_EQ(1.1, job.charged_seconds(1.1)) << "1.1 / 0.1 is 11.000000000000002";
}

TEST(JobCost, IsNoNumberWhereTheMachineDoesNotTell) {
    Machine machine = usual_machine();
    machine.price.reset();
    machine.power_per_node = 0.0;
    EXPECT_TRUE(std::isnan(JobCost(machine, 1.0).of(CostKind::money, 1.0)));
    EXPECT_TRUE(std::isnan(JobCost(machine, 1.0).of(CostKind::energy, 1.0)));
}

TEST(JobCost, NeverFallsWithTime) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(-2.0, 7.0);
    for (int i = 0; i < 2000; ++i) {
        const JobCost job(random_machine(random), 1.0 + static_cast<double>(random() % 1000));
        const double time = std::pow(10.0, exponent(random));
        const double longer = time * (1.0 + 1e-6 * static_cast<double>(random() % 1'000'000));
        for (const auto& kind : enum_names(CostKind::money)) {
            SCOPED_TRACE(kind.name);
            EXPECT_LE(job.of(kind.value, time), job.of(kind.value, longer));
        }
    }
}

TEST(JobCost, KnowsTheLastTimeWithinAnAmount) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> exponent(-2.0, 5.0);
    int some = 0;
    for (int i = 0; i < 2000; ++i) {
        const JobCost job(random_machine(random), 1.0 + static_cast<double>(random() % 1000));
        const double amount = std::pow(10.0, exponent(random));
        const auto longest = job.longest_within(CostKind::money, amount);
        if (!longest) {
            EXPECT_GT(job.of(CostKind::money, 0.0), amount);
            continue;
        }
        if (std::isinf(*longest)) continue;
        ++some;
        EXPECT_LE(job.of(CostKind::money, *longest), amount);
        EXPECT_GT(job.of(CostKind::money, std::nextafter(*longest, infinity)), amount)
            << "the very next number costs more";
    }
    EXPECT_GT(some, 1000);
}

TEST(JobCost, AllowsAnyTimeThatCostsNothing) {
    Machine machine = usual_machine();
    machine.price->value = 0.0;
    EXPECT_EQ(infinity, JobCost(machine, 1.0).longest_within(CostKind::money, 0.0));
}

TEST(JobCost, TellsHowMuchDearerThePriceMayBecome) {
    Machine machine{.name = "m", .power_per_node = 1000.0};
    machine.price = Price{.value = 2.0, .currency = "EUR", .per = CostKind::node_hours};
    machine.energy_price = Price{.value = 0.5, .currency = "EUR", .per = CostKind::energy};
    machine.minimum_charge = 100.0;
    // Ten hours: 20 EUR, of which 100 are charged, and 5 EUR of energy.
    const JobCost job(machine, 1.0);
    EXPECT_DOUBLE_EQ(105.0, job.of(CostKind::money, 36000.0));
    EXPECT_DOUBLE_EQ(9.75, job.price_factor(36000.0, 200.0));
    machine.price->value *= 9.75;
    EXPECT_DOUBLE_EQ(200.0, JobCost(machine, 1.0).of(CostKind::money, 36000.0));
    // All of it is energy.
    machine.price = Price{.value = 0.25, .currency = "EUR", .per = CostKind::energy};
    machine.energy_price.reset();
    machine.minimum_charge = 0.0;
    EXPECT_DOUBLE_EQ(4.0, JobCost(machine, 1.0).price_factor(36000.0, 10.0));
}

}  // namespace
}  // namespace plimsoll::plan
