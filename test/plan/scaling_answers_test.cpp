#include "plimsoll/plan/scaling_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plimsoll::plan {
namespace {

/// T(p, n) = n / p + log2(p): work that is divided, and an overhead.
class DividedWork : public ::testing::Test {
  protected:
    DividedWork() {
        model_.function.terms = {
            {.coefficient = 1.0,
             .factors = {{.parameter = 0, .exponent = -1}, {.parameter = 1, .exponent = 1}}},
            {.coefficient = 1.0, .factors = {{.parameter = 0, .exponent = 0, .log_exponent = 1}}}};
        workload_.fewest = 1.0;
        workload_.work = Work::in_all;
        workload_.time.push_back({.model = &model_, .unit = 1.0, .times = {}});
    }

    /// T(1) / (p T(p)).
    static double efficiency(double p, double n) { return n / (n + p * std::log2(p)); }

    model::RegionModel model_;
    Workload workload_;
};

TEST_F(DividedWork, HasTheEfficiencyOfItsDefinition) {
    for (const double p : {1.0, 2.0, 8.0, 100.0})
        EXPECT_NEAR(efficiency(p, 500.0), efficiency_at(workload_, std::vector<double>{p, 500.0}), 1e-12);
}

TEST_F(DividedWork, IsEfficientUpToTheNumberThatTryingAllFinds) {
    for (const double least : {0.3, 0.5, 0.7, 0.9, 0.99}) {
        SCOPED_TRACE(least);
        double expected = 1.0;
        for (double p = 1.0; p <= 1000.0; p += 1.0) {
            if (efficiency(p, 500.0) >= least) expected = p;
        }
        const auto found = largest_efficient(workload_, std::vector<double>{0.0, 500.0}, least, 1000.0);
        ASSERT_TRUE(found);
        EXPECT_EQ(expected, found->processes);
        EXPECT_NEAR(efficiency(expected, 500.0), found->efficiency, 1e-12);
        EXPECT_FALSE(found->is_end);
    }
}

TEST_F(DividedWork, IsEfficientOnAllThatThereAre) {
    const auto found = largest_efficient(workload_, std::vector<double>{0.0, 1e9}, 0.5, 777.5);
    ASSERT_TRUE(found);
    EXPECT_EQ(777.0, found->processes);
    EXPECT_TRUE(found->is_end);
    workload_.fewest = 4.0;
    EXPECT_FALSE(largest_efficient(workload_, std::vector<double>{0.0, 1e9}, 0.5, 3.0))
        << "fewer than were measured";
}

TEST_F(DividedWork, KeepsItsEfficiencyWithTheSizeOfTheIsoefficiencyFunction) {
    // n / (n + p log2 p) = e for n = e / (1 - e) p log2 p.
    for (const double p : {2.0, 16.0, 128.0}) {
        SCOPED_TRACE(p);
        const auto size = efficient_size(workload_, std::vector<double>{p, 0.0}, 1, 0.8, 1.0, 1e6);
        ASSERT_TRUE(size);
        EXPECT_NEAR(4.0 * p * std::log2(p), *size, 4e-6 * *size);
    }
    EXPECT_FALSE(efficient_size(workload_, std::vector<double>{128.0, 0.0}, 1, 0.8, 1.0, 1000.0))
        << "too small";
    EXPECT_EQ(5000.0, efficient_size(workload_, std::vector<double>{128.0, 0.0}, 1, 0.8, 5000.0, 1e6))
        << "the smallest is enough";
}

TEST_F(DividedWork, LosesNothingOfWeakEfficiencyWithoutOverhead) {
    model_.function = {.constant = 7.0};
    workload_.work = Work::per_process;
    EXPECT_EQ(1.0, efficiency_at(workload_, std::vector<double>{64.0, 1.0}));
}

}  // namespace
}  // namespace plimsoll::plan
