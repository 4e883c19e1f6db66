#include "plimsoll/training/training_time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/model/fit.hpp"
#include "test/support/planted.hpp"

namespace plimsoll::training {
namespace {

/// A step of p processes with b samples each: computation 10 us a sample, communication 1 ms log2(p).
double computation(double /*p*/, double b) { return 1e-5 * b; }
double communication(double p, double /*b*/) { return 1e-3 * std::log2(p); }
double step(double p, double b) { return 2e-3 + computation(p, b) + communication(p, b); }
double validation(double /*p*/, double b) { return 1e-3 + 4e-6 * b; }

using Law = std::function<double(double, double)>;

model::FitDocument models(const std::map<std::string, Law>& laws) {
    experiment::ExperimentBuilder builder;
    builder.set_parameters(std::vector<std::string>{"p", "batch_size"}, {});
    const auto time = builder.metric("time");
    for (const auto& [region, law] : laws) {
        const auto series = builder.series(builder.region(region), time);
        for (const double p : {2, 4, 8, 16, 32}) {
            for (const double b : {64, 128, 256, 512, 1024}) {
                const double value = law(p, b);
                builder.add_repetitions(series, builder.point(std::vector<double>{p, b}, {}),
                                        std::vector<double>{value, value, value}, {});
            }
        }
    }
    const experiment::Experiment experiment = builder.build();
    return model::make_document(experiment, model::fit_all(experiment, {}, 1, silent()));
}

const std::map<std::string, Law> all_laws{{"step", step},
                                          {"validation->step", validation},
                                          {"device->computation", computation},
                                          {"device->exposed communication", communication},
                                          {"cpu->forward", validation}};

TEST(TrainingModel, ComposesAnEpochOfExactCountsAndModelledSteps) {
    const TrainingModel training(
        models(all_laws), {.dataset_size = 1'281'167, .validation_size = 50'000, .epochs = 90}, "", 0.9);
    const double p = 128;
    const double b = 256;
    const TrainingTime time = training.at({p, b});
    EXPECT_EQ(time.batch, b);
    EXPECT_EQ(time.steps.training, 40);  // 1281167 / 32768 = 39.1
    EXPECT_EQ(time.steps.validation, 2);
    EXPECT_NEAR(time.step.value, step(p, b), 1e-6 * step(p, b));
    const double epoch = 40 * step(p, b) + 2 * validation(p, b);
    EXPECT_NEAR(time.epoch->value, epoch, 1e-6 * epoch);
    EXPECT_LE(time.epoch->low, epoch);
    EXPECT_GE(time.epoch->high, epoch);
    EXPECT_NEAR(time.training->value, 90 * epoch, 1e-4 * epoch);
    EXPECT_NEAR(*time.process_hours, 90 * epoch * p / 3600, 1e-4 * epoch);
    EXPECT_NEAR(time.throughput, p * b / step(p, b), 1e-6 * p * b / step(p, b));
    EXPECT_NEAR(time.efficiency, step(2, b) / step(p, b), 1e-6);
    ASSERT_TRUE(time.parts);
    EXPECT_NEAR(time.parts->computation, computation(p, b), 1e-8);
    EXPECT_NEAR(time.parts->exposed_communication, communication(p, b), 1e-8);
    EXPECT_NEAR(time.parts->computation + time.parts->exposed_communication + time.parts->rest,
                time.step.value, 1e-15);
}

/// A global batch that stays: each of p processes has 1 / p of it.
TEST(TrainingModel, HasTheStandardEfficiencyOfStrongScaling) {
    const TrainingModel training(models(all_laws), {}, "p", 0.9);
    const double few = step(2, 1024);
    const double many = step(16, 128);
    // p1 T(p1) / (p T(p)), from what the two yield.
    const double efficiency =
        training.at({16, 128}).throughput / 16 / (training.at({2, 1024}).throughput / 2);
    EXPECT_NEAR(efficiency, 2 * few / (16 * many), 1e-6);
    EXPECT_FALSE(training.at({16, 128}).epoch);
}

TEST(TrainingModel, TakesTheBatchFromANumberOrAParameter) {
    const auto document = models({{"step", step}});
    EXPECT_EQ(TrainingModel(document, {.batch = "48"}, "", 0.9).at({4, 64}).batch, 48);
    EXPECT_EQ(TrainingModel(document, {.batch = "p"}, "batch_size", 0.9).at({4, 64}).batch, 4);
    EXPECT_FALSE(TrainingModel(document, {}, "", 0.9).at({4, 64}).parts);
    const auto error_of = [&](const model::FitDocument& models, const Schedule& schedule,
                              const std::string& name) {
        try {
            (void)TrainingModel(models, schedule, name, 0.9);
        } catch (const Error& error) {
            EXPECT_FALSE(error.hint().empty());
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(error_of(document, {.batch = "batch"}, ""), "--batch: there is no parameter 'batch'");
    EXPECT_EQ(error_of(document, {.batch = "-3"}, ""), "--batch: '-3' is no number of samples");
    EXPECT_EQ(error_of(models({{"main", step}}), {}, ""), "no step is marked");
    EXPECT_EQ(error_of(document, {.batch = "p"}, ""),
              "'p' cannot count both processes and samples of a batch");
}

}  // namespace
}  // namespace plimsoll::training
