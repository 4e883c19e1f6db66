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
#include "plimsoll/model/predictive.hpp"
#include "test/support/experiment_maker.hpp"
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
    EXPECT_NEAR(time.step->value, step(p, b), 1e-6 * step(p, b));
    const double epoch = 40 * step(p, b) + 2 * validation(p, b);
    EXPECT_NEAR(time.epoch->value, epoch, 1e-6 * epoch);
    EXPECT_LE(time.epoch->low, epoch);
    EXPECT_GE(time.epoch->high, epoch);
    EXPECT_NEAR(time.training->value, 90 * epoch, 1e-4 * epoch);
    EXPECT_NEAR(*time.process_hours, 90 * epoch * p / 3600, 1e-4 * epoch);
    EXPECT_NEAR(time.throughput, p * b / step(p, b), 1e-6 * p * b / step(p, b));
    EXPECT_NEAR(time.efficiency.value(), step(2, b) / step(p, b), 1e-6);
    ASSERT_TRUE(time.parts);
    EXPECT_NEAR(time.parts->computation, computation(p, b), 1e-8);
    EXPECT_NEAR(time.parts->exposed_communication, communication(p, b), 1e-8);
    EXPECT_NEAR(time.parts->computation + time.parts->exposed_communication + time.parts->rest,
                time.step->value, 1e-15);
}

TEST(TrainingModel, HasPartsThatAddUpToTheTraining) {
    const TrainingModel training(
        models(all_laws), {.dataset_size = 1'281'167, .validation_size = 50'000, .epochs = 90}, "", 0.9);
    for (const std::vector<double>& point : {std::vector<double>{4, 64}, std::vector<double>{128, 256}}) {
        double sum = 0.0;
        for (const StepPart& part : training.parts())
            sum += part.count(point) *
                   model::predicted(part.model->posterior, part.model->function, point, 0.9).value;
        const double whole = training.at(point).training->value;
        EXPECT_NEAR(whole, sum, 1e-9 * whole);
    }
    EXPECT_EQ("step", training.parts().front().model->region);
    const TrainingModel one_kind(models({{"step", step}}),
                                 {.dataset_size = 1000, .validation_size = 100, .batch = "10"}, "p", 0.9);
    ASSERT_EQ(2U, one_kind.parts().size());
    EXPECT_EQ("step", one_kind.parts().back().model->region)
        << "steps of training stand for those of validation";
}

TEST(TrainingModel, HasNoPartsWithoutADataSetOrABatch) {
    EXPECT_THROW(static_cast<void>(TrainingModel(models({{"step", step}}), {}, "p", 0.9).parts()), Error);
    model::FitDocument document = models({{"step", step}});
    document.parameters.back() = "width";  // no name of a batch
    EXPECT_THROW(static_cast<void>(TrainingModel(document, {.dataset_size = 10}, "p", 0.9).parts()), Error);
}

TEST(TrainingModel, HasTheStandardEfficiencyOfStrongScaling) {
    const TrainingModel training(models(all_laws), {}, "p", 0.9);
    const double few = step(2, 1024);
    const double many = step(16, 128);
    // p1 T(p1) / (p T(p)), from what the two yield.
    const double efficiency =
        training.at({16, 128}).throughput / 16 / (training.at({2, 1024}).throughput / 2);
    EXPECT_NEAR(efficiency, 2 * few / (16 * many), 1e-6);
    // With the batch a number, of a replica: by throughput alike, at 512 samples each.
    const TrainingModel fixed(models(all_laws), {.batch = "512"}, "p", 0.9);
    EXPECT_NEAR(fixed.at({16, 512}).efficiency.value(), step(2, 512) / step(16, 512), 1e-6);
    // Two processes a replica: the fewest are two, one replica; 16 are eight.
    const TrainingModel halves(models(all_laws), {.model_parallel = 2}, "p", 0.9);
    EXPECT_NEAR(halves.at({16, 512}).efficiency.value(), step(2, 512) / step(16, 512), 1e-6);
    EXPECT_NEAR(halves.at({16, 512}).throughput, 8 * 512 / step(16, 512), 1e-3);
    EXPECT_FALSE(training.at({16, 128}).epoch);
}

/// The parameter holds the batch of all processes together, of which each has 1 / p.
TEST(TrainingModel, HasTheEfficiencyOfOneGlobalBatch) {
    const Law law = [](double p, double b) { return 1e-3 + 1e-5 * b / p; };
    const TrainingModel training(models({{"step", law}}),
                                 {.dataset_size = 102'400, .batch_is = BatchIs::global, .model_parallel = 2},
                                 "p", 0.9);
    const TrainingTime time = training.at({16, 512});
    EXPECT_NEAR(time.efficiency.value(), 2 * law(2, 512) / (16 * law(16, 512)), 1e-6)
        << "p1 T(p1) / (p T(p))";
    EXPECT_EQ(time.batch, 64) << "of each of eight replicas";
    EXPECT_EQ(time.steps.training, 200);
    EXPECT_NEAR(time.throughput, 512 / law(16, 512), 1e-3);
    EXPECT_NEAR(training.parts().front().count(std::vector<double>{16, 512}), 200, 0);
    EXPECT_TRUE(std::isnan(training.parts().front().count(std::vector<double>{1, 512}))) << "no replica";
    EXPECT_EQ(training.why_none(std::vector<double>{1, 512}), "a replica of the model wants 2 processes");
}

TEST(TrainingModel, KnowsTheUnitOfItsTimes) {
    model::FitDocument document = models({{"step", step}});
    document.models.front().unit = "ms";
    const TrainingModel training(document, {.dataset_size = 1024, .batch = "64"}, "p", 0.9);
    EXPECT_NEAR(training.at({4, 64}).step->value, 1e-3 * step(4, 64), 1e-9);
    EXPECT_NEAR(training.at({4, 64}).epoch->value, 4 * 1e-3 * step(4, 64), 1e-9);
    document.models.front().unit = "m";
    EXPECT_THROW(static_cast<void>(TrainingModel(document, {}, "p", 0.9)), Error);
}

TEST(TrainingModel, TakesTheBatchFromANumberOrAParameter) {
    const auto document = models({{"step", step}});
    EXPECT_EQ(TrainingModel(document, {.batch = "48"}, "", 0.9).at({4, 64}).batch, 48);
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
    EXPECT_EQ(error_of(document, {.batch = "p"}, ""),
              "'p' cannot count both processes and samples of a batch");
    EXPECT_EQ(error_of(document, {.batch = "-3"}, ""), "--batch: '-3' is no number of samples");
    EXPECT_EQ(error_of(models({{"main", step}}), {}, ""), "no step is marked");
}

// Extra-Deep: 75 % of the time saved by 300 % more processes are 25 %.
TEST(TrainingModel, HasTheEfficiencyOfExtraDeepWhereAskedFor) {
    EXPECT_DOUBLE_EQ(extra_deep_efficiency(8, 1, 2, 4), 0.25);
    EXPECT_DOUBLE_EQ(extra_deep_efficiency(8, 4, 6, 4), 0.75) << "no more processes: by what the time is off";
    // The same batch of a process on 2 and on 32: an epoch takes a sixteenth of the steps.
    const TrainingModel training(models(all_laws), {.batch = "batch_size"}, "", 0.9, nullptr,
                                 {.efficiency = Efficiency::extra_deep});
    const double few = step(2, 256);
    const double many = step(32, 256) / 16;
    EXPECT_NEAR(training.at({32, 256}).efficiency.value(), (few - many) / few / 15.0, 1e-6);
}

/// The busiest of several devices computes p per cent longer than the mean one.
TEST(TrainingModel, HasFactorsThatSayWhyEfficiencyFalls) {
    auto laws = all_laws;
    laws["device->largest computation"] = [](double p, double b) {
        return computation(p, b) * (1 + p / 100);
    };
    const TrainingModel training(models(laws), {}, "p", 0.9);
    const auto factors = training.at({64, 512}).factors;
    ASSERT_TRUE(factors);
    EXPECT_NEAR(factors->load_balance.value(), 1 / 1.64, 1e-5);
    EXPECT_NEAR(factors->communication_efficiency, 1.64 * computation(64, 512) / step(64, 512), 1e-5);
    EXPECT_NEAR(factors->parallel_efficiency, computation(64, 512) / step(64, 512), 1e-6);
    EXPECT_NEAR(factors->load_balance.value() * factors->communication_efficiency,
                factors->parallel_efficiency, 1e-12);
    EXPECT_NEAR(factors->computation_scalability.value(), 1.0, 1e-6) << "computing goes with the batch";
    EXPECT_FALSE(TrainingModel(models(all_laws), {}, "p", 0.9).at({64, 512}).factors->load_balance);
    EXPECT_FALSE(TrainingModel(models({{"step", step}}), {}, "p", 0.9).at({64, 512}).factors);
}

TEST(TrainingModel, KnowsWhatCollectivesDo) {
    test::ExperimentMaker maker({"p"});
    for (const double p : {2, 4, 8, 16, 32}) {
        maker.run("step", "time", {p}, 1.0).run("collective->allreduce", "visits", {p}, 3.0);
        maker.run("collective->allreduce", "bytes", {p}, 4e9);
        maker.run("collective->allreduce", "time", {p}, 2 * (p - 1) / p * 4e9 / 100e9);
    }
    const experiment::Experiment experiment = maker.build();
    const TrainingModel training(
        model::make_document(experiment, model::fit_all(experiment, {}, 1, silent())), {}, "", 0.9,
        &experiment);
    const auto collectives = training.at({16}).collectives;
    ASSERT_EQ(collectives.size(), 1U);
    EXPECT_EQ(collectives[0].name, "allreduce");
    EXPECT_NEAR(collectives[0].calls, 3, 1e-9);
    EXPECT_NEAR(collectives[0].bytes, 4e9, 1);
    EXPECT_NEAR(collectives[0].bus_bandwidth, 100e9, 1e9) << "what was planted, by a model of its time";
}

/// Measured in one configuration alone: no model.
TEST(TrainingModel, TellsOfConfigurationsThatWereMeasuredWithoutModels) {
    test::ExperimentMaker maker({"p"});
    for (const double time : {1.0, 1.2, 1.1}) maker.run("step", "time", {4}, time);
    const experiment::Experiment experiment = maker.build();
    const auto document = model::make_document(experiment, model::fit_all(experiment, {}, 1, silent()));
    const TrainingModel training(document, {.dataset_size = 1000, .epochs = 2, .batch = "10"}, "", 0.9,
                                 &experiment);
    EXPECT_EQ(training.measured_alone(), (std::vector<std::vector<double>>{{4}}));
    const TrainingTime time = training.at({4});
    EXPECT_NEAR(time.step->value, 1.1, 1e-12);
    EXPECT_NEAR(time.step->high, 1.1 + 2.9200 * 0.1 / std::sqrt(3.0), 1e-4);  // Student's t of 2, 90 %
    EXPECT_NEAR(time.training->value, 2 * 25 * 1.1, 1e-9);
    EXPECT_DOUBLE_EQ(time.efficiency.value(), 1.0);
    EXPECT_THROW((void)training.at({8}), Error);
}

/// Some programs tell how long epochs took and nothing more.
TEST(TrainingModel, IsComposedOfEpochsWhereStepsAreNotKnown) {
    test::ExperimentMaker maker({"p"});
    for (const double time : {10.0, 12.0}) {
        maker.run("first epoch", "time", {4}, 3 * time).run("epoch", "time", {4}, time);
        maker.run("first epoch", "time", {8}, time / 4).run("epoch", "time", {8}, time / 2);
    }
    const experiment::Experiment experiment = maker.build();
    const auto document = model::make_document(experiment, model::fit_all(experiment, {}, 1, silent()));
    const TrainingModel training(document, {.epochs = 20}, "", 0.9, &experiment);
    const TrainingTime time = training.at({4});
    EXPECT_FALSE(time.step);
    EXPECT_DOUBLE_EQ(time.epoch->value, 11);
    EXPECT_DOUBLE_EQ(time.training->value, 33 + 19 * 11);
    EXPECT_DOUBLE_EQ(time.throughput, 1.0 / 11);
    EXPECT_DOUBLE_EQ(training.at({8}).training->value, 20 * 2.75) << "none takes longer than the first";
}

// Samples S(B) = 1e6 (1 + B / 4096): the training ends when they are there, whatever the epochs.
TEST(TrainingModel, EndsWhenTheSamplesAreThere) {
    test::ExperimentMaker maker({"batch"});
    const auto need = [](double b) { return 1e6 * (1 + b / 4096); };
    for (const double b : {256, 512, 1024, 2048, 4096}) maker.run("training", "samples", {b}, need(b));
    const experiment::Experiment samples = maker.build();
    const TrainingModel training(
        models(all_laws), {.dataset_size = 100'000, .validation_size = 10'000, .epochs = 7}, "", 0.9, nullptr,
        {}, SampleNeed(model::make_document(samples, model::fit_all(samples, {}, 1, silent())), 0.9));
    const TrainingTime time = training.at({16, 128});
    EXPECT_NEAR(time.samples->value, 1.5e6, 1.0);
    const double steps = std::ceil(1.5e6 / 2048);
    const double expected = steps * step(16, 128) + 15 * 5 * validation(16, 128);  // 15 epochs of 5 steps
    EXPECT_NEAR(time.training->value, expected, 1e-5 * expected);
    EXPECT_NEAR(*time.process_hours, 16 * expected / 3600, 1e-5 * expected);
}

TEST(TrainingModel, RefusesProcessesThatMakeUpNoReplica) {
    const auto error_at = [](const Schedule& schedule, const std::vector<double>& point) {
        try {
            (void)TrainingModel(models(all_laws), schedule, "", 0.9).at(point);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_FALSE(error.hint().empty());
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(error_at({.model_parallel = 8}, {4, 64}),
              "at p=4, batch_size=64: a replica of the model wants 8 processes");
    EXPECT_EQ(error_at({}, {1.5, 64}), "at p=1.5, batch_size=64: '1.5' is no number of processes");
    EXPECT_EQ(error_at({}, {0, 64}), "at p=0, batch_size=64: '0' is no number of processes");
    EXPECT_EQ(error_at({.dataset_size = 100, .last_step = LastStep::drop}, {4, 64}),
              "at p=4, batch_size=64: 100 samples do not fill a step of 256, and are dropped");
    EXPECT_EQ(error_at({.dataset_size = 100}, {4, 64}), "");
}

/// Models of Extra-P's search may go below zero.
TEST(TrainingModel, TellsNothingByATimeBelowZero) {
    test::ExperimentMaker maker({"p"});
    for (const double p : {1, 2, 4, 8, 16}) {
        maker.run("step", "time", {p}, 10 - 0.25 * p).run("device->computation", "time", {p}, 1);
        maker.run("device->exposed communication", "time", {p}, 1);
    }
    const experiment::Experiment experiment = maker.build();
    const auto fits = model::fit_all(
        experiment, {.search = model::Search::extra_p, .positive = model::Positive::no}, 1, silent());
    const TrainingModel training(model::make_document(experiment, fits), {.dataset_size = 1000, .batch = "1"},
                                 "", 0.9);
    const TrainingTime time = training.at({64});
    EXPECT_LT(time.step->value, 0.0);
    EXPECT_FALSE(time.parts);
    EXPECT_FALSE(time.efficiency);
    EXPECT_FALSE(time.training);
}

// Parts are modelled each by itself, and told as shares of the step.
TEST(TrainingModel, HasPartsThatAddUpToTheStep) {
    auto laws = all_laws;
    laws["device->rest"] = [](double, double) { return 2e-3; };
    laws["device->idle"] = [](double, double) { return 1.5e-3; };
    const auto parts = TrainingModel(models(laws), {}, "", 0.9).at({256, 512}).parts;
    ASSERT_TRUE(parts);
    EXPECT_NEAR(parts->rest, 2e-3, 1e-7);
    EXPECT_NEAR(parts->idle.value(), 1.5e-3, 1e-7);
    EXPECT_NEAR(parts->computation + parts->exposed_communication + parts->rest, step(256, 512), 1e-8);
}

}  // namespace
}  // namespace plimsoll::training
