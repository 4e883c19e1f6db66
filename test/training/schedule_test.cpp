#include "plimsoll/training/schedule.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace plimsoll::training {
namespace {

/// Deals the samples out, step by step.
std::uint64_t counted(std::uint64_t size, std::uint64_t samples_of_a_step, LastStep last) {
    std::uint64_t steps = 0;
    for (std::uint64_t left = size; left > 0;) {
        if (left < samples_of_a_step) return last == LastStep::keep ? steps + 1 : steps;
        left -= samples_of_a_step;
        ++steps;
    }
    return steps;
}

TEST(StepCounts, AreThoseOfDealingOutTheSamples) {
    for (const LastStep last : {LastStep::keep, LastStep::drop}) {
        for (const std::uint64_t size : {1U, 63U, 64U, 65U, 50'000U}) {
            for (const std::uint64_t processes : {1U, 2U, 3U, 8U}) {
                for (const std::uint64_t batch : {1U, 32U, 100U}) {
                    const Schedule schedule{.dataset_size = size,
                                            .validation_size = size,
                                            .last_step = last,
                                            .validation = Validation::each};
                    const StepCounts steps =
                        step_counts(schedule, static_cast<double>(processes), static_cast<double>(batch));
                    EXPECT_EQ(steps.training, counted(size, processes * batch, last));
                    EXPECT_EQ(steps.validation, counted(size, batch, LastStep::keep)) << "none is left out";
                }
            }
        }
    }
}

TEST(StepCounts, CountReplicasOfSeveralProcesses) {
    const Schedule schedule{.dataset_size = 1000, .validation_size = 100, .model_parallel = 4};
    EXPECT_EQ(replicas(schedule, 16), 4);
    EXPECT_EQ(replicas(schedule, 19), 4);  // three are idle
    EXPECT_EQ(replicas(schedule, 2), 0);
    EXPECT_EQ(step_counts(schedule, 2, 10).training, 0);
    EXPECT_EQ(step_counts(schedule, 16, 10).training, 25);
    EXPECT_EQ(step_counts(schedule, 16, 10).validation, 3);
    EXPECT_EQ(step_counts({}, 16, 10).training, 0);
    const Schedule stages{.dataset_size = 1000, .model_parallel = 2, .pipeline_parallel = 4};
    EXPECT_EQ(replicas(stages, 16), 2);
    EXPECT_EQ(step_counts(stages, 16, 10).training, 50);
}

TEST(StepCounts, AreExactWhereReplicasShareAGlobalBatch) {
    const Schedule schedule{.dataset_size = 512 * 1000};
    for (const double processes : {3.0, 7.0, 11.0, 13.0, 96.0, 1000.0})
        EXPECT_EQ(step_counts(schedule, processes, 512.0 / processes).training, 1000) << processes;
}

}  // namespace
}  // namespace plimsoll::training
