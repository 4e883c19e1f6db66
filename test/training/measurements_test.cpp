#include "plimsoll/training/measurements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "test/support/experiment_maker.hpp"
#include "test/support/read_profiles.hpp"

namespace plimsoll::training {
namespace {

using Values = std::vector<double>;

TEST(TrainingMeasurements, KeepWhatStepsAreMadeOf) {
    test::ExperimentMaker maker({"p"});
    for (const char* const region :
         {"step", "cpu->forward", "kernel->gemm", "collective->allreduce", "device->idle"})
        maker.run(region, "time", {1}, 1.0).run(region, "visits", {1}, 1.0);
    const experiment::Experiment kept = training_measurements(maker.build());
    std::vector<std::string> names;
    for (const experiment::Series& series : kept.series)
        names.push_back(kept.region(series).path + "/" + kept.metric(series).name);
    EXPECT_EQ(names, (std::vector<std::string>{"step/time", "collective->allreduce/time",
                                               "collective->allreduce/visits", "device->idle/time"}));
}

TEST(TrainingMeasurements, AddTheBusiestDeviceOfEachStep) {
    test::ExperimentMaker maker({"p"});
    maker.run("device->computation", "time", {1}, Values{5});
    maker.run("device->computation", "time", {2}, Values{3, 4});
    maker.run("device->computation", "time", {2}, Values{6, 1});
    const experiment::Experiment all = training_measurements(maker.build());
    const std::string region(largest_computation_region);
    EXPECT_EQ(test::values_at(all, region, "time", Values{1}), Values{5}) << "one process is the busiest";
    EXPECT_EQ(test::values_at(all, region, "time", Values{2}), (Values{4, 6}));
    EXPECT_EQ(test::mean_of(all, region, 2), 5.0);
    EXPECT_EQ(test::find_measurement(all, region, 2)->repetitions, 2U);
}

TEST(TrainingMeasurements, HaveNoBusiestDeviceWhereOneProcessWasProfiled) {
    test::ExperimentMaker maker({"p"});
    maker.run("device->computation", "time", {2}, Values{3})
        .run("device->computation", "time", {4}, Values{2});
    EXPECT_EQ(training_measurements(maker.build()).series.size(), 1U);
}

TEST(TrainingMeasurements, AddWhatIsLeftOfAStep) {
    test::ExperimentMaker maker({"p"});
    maker.run("step", "time", {2}, Values{10, 11}).run("step", "time", {2}, Values{12, 13});
    maker.run("device->computation", "time", {2}, Values{6, 7})
        .run("device->computation", "time", {2}, Values{8, 8});
    maker.run("device->exposed communication", "time", {2}, Values{1, 5});
    maker.run("device->exposed communication", "time", {2}, Values{2, 3});
    const experiment::Experiment all = training_measurements(maker.build());
    EXPECT_EQ(test::values_at(all, std::string(rest_region), "time", Values{2}), (Values{3, 0, 2, 2}));
}

}  // namespace
}  // namespace plimsoll::training
