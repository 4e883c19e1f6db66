// The profile that workloads/training writes, as the reader of the PyTorch profiler's traces takes it.

#include "training/trace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::training_workload {
namespace {

using std::chrono::milliseconds;

/// Two steps of 10 ms: a phase of 6 ms with an operator of 2 ms in it, and a sum of 100 numbers.
void fill(Trace& trace) {
    Trace::Time now = Trace::Clock::now();
    for (std::size_t step = 0; step < 2; ++step, now += milliseconds(10)) {
        trace.add_step(Set::training, step, now, now + milliseconds(10));
        trace.add_phase("backward", now + milliseconds(1), now + milliseconds(7));
        trace.add_operator("aten::mul", now + milliseconds(2), now + milliseconds(4));
        trace.add_collective({.name = "allreduce", .elements = 100}, now + milliseconds(5),
                             now + milliseconds(6));
    }
}

TEST(Trace, IsReadAsAProfileOfPyTorch) {
    const test::TemporaryFolder folder;
    for (std::size_t rank = 0; rank < 2; ++rank) {
        Trace trace;
        trace.start();
        fill(trace);
        trace.write(folder / ("rank" + std::to_string(rank) + ".json"), rank, 2);
    }
    const std::vector<std::string> paths{folder.path().string()};
    const experiment::Experiment read = test::read_profiles(paths);
    ASSERT_EQ(read.parameter_names(), std::vector<std::string>{"p"});
    const std::vector<double> point{2.0};
    const auto expect_each = [&](const char* region, const char* metric, double value) {
        SCOPED_TRACE(region);
        const auto values = test::values_at(read, region, metric, point);
        EXPECT_EQ(values.size(), 4U);  // steps and ranks
        for (const double found : values) EXPECT_NEAR(found, value, 1e-6 * value);
    };
    expect_each("step", "time", 0.010);
    expect_each("cpu->backward", "time", 0.003);
    expect_each("cpu->backward->aten::mul", "time", 0.002);
    expect_each("cpu->backward->mpi:allreduce->record_param_comms", "time", 0.001);
    expect_each("collective->allreduce", "bytes", 400.0);
    expect_each("collective->allreduce", "visits", 1.0);
}

TEST(Trace, KeepsNothingBeforeItStartsAndAfterItStops) {
    const test::TemporaryFolder folder;
    Trace trace;
    fill(trace);
    trace.start();
    trace.add_step(Set::validation, 9, Trace::Clock::now(), Trace::Clock::now() + milliseconds(4));
    trace.stop();
    fill(trace);
    trace.write(folder / "rank0.json", 0, 1);
    const std::vector<std::string> paths{folder.path().string()};
    const experiment::Experiment read = test::read_profiles(paths);
    EXPECT_EQ(test::values_at(read, "validation->step", "visits", std::vector<double>{1.0}).size(), 1U);
    EXPECT_EQ(test::find_series(read, "cpu->backward", "time"), nullptr);
}

}  // namespace
}  // namespace plimsoll::training_workload
