#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/sqlite.hpp"
#include "plimsoll/profile/detail/nsight_steps.hpp"
#include "test/support/planted_training.hpp"
#include "test/support/read_profiles.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::profile {
namespace {

using test::NsightSchema;
using test::PlantedStep;
using test::PlantedTraining;
using test::read_profiles;
using test::values_at;
using Values = std::vector<double>;

PlantedStep step_of(double p, double batch) {
    return {.copy = 1e-6 * batch,
            .copied_bytes = 1000 * batch,
            .forward = 10e-6 * batch,
            .backward = 20e-6 * batch,
            .reduce = 100e-6 * std::log2(p) + 1e-3 * (p - 1),
            .reduced_elements = 4096,
            .hidden = 0.25,
            .idle = 50e-6 * std::sqrt(p)};
}

class NsightTest : public testing::TestWithParam<NsightSchema> {
  protected:
    test::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Schemas, NsightTest, testing::Values(NsightSchema::texts, NsightSchema::strings));

std::string notes_of(const experiment::Experiment& experiment) {
    std::string notes;
    for (const auto& note : experiment.notes) notes += note.message + "\n";
    return notes;
}

TEST_P(NsightTest, FindsWhatWasPlantedInRunsOfSeveralRanks) {
    for (const int p : {2, 4}) {
        for (const int batch : {100, 300}) {
            for (int repetition = 1; repetition <= 2; ++repetition) {
                for (int rank = 0; rank < p; ++rank) {
                    const PlantedTraining training{
                        .step = step_of(p, batch),
                        .validation = {.copy = 2e-6 * batch, .forward = 5e-6 * batch},
                        .rank = rank,
                        .ranks = p,
                        .epochs = 2};
                    const std::string name =
                        fmt::format("net.p{}.b{}.r{}.mpi{}.sqlite", p, batch, repetition, rank);
                    write_nsight((folder_.path() / name).string(), training, GetParam());
                }
            }
        }
    }
    const auto experiment = read_profiles(std::array{folder_.path().string()});
    EXPECT_EQ(experiment.parameter_names(), (std::vector<std::string>{"p", "b"}));
    EXPECT_EQ(experiment.metadata.at("device"), "\"Planted GPU\"");
    EXPECT_EQ(experiment.metadata.at("CpuCores"), "\"8\"");
    for (const double p : {2.0, 4.0}) {
        for (const double batch : {100.0, 300.0}) {
            SCOPED_TRACE(fmt::format("p = {}, batch = {}", p, batch));
            const PlantedStep step = step_of(p, batch);
            const auto expect = [&](const std::string& region, double value, const char* metric = "time") {
                SCOPED_TRACE(region);
                const Values values = values_at(experiment, region, metric, Values{p, batch});
                // Two repetitions of three steps of the second epoch, in each process.
                ASSERT_EQ(values.size(), 6 * static_cast<std::size_t>(p));
                for (const double found : values) EXPECT_NEAR(found, value, 3e-9 + 1e-9 * value);
            };
            expect("step", step.duration());
            expect("memcpy->Memcpy HtoD", step.copy);
            expect("memcpy->Memcpy HtoD", step.copied_bytes, "bytes");
            expect("kernel->void gemm<float>(int)", step.forward);
            expect("kernel->void gemm_back<float>(int)", step.backward);
            expect("kernel->void gemm_back<float>(int)", 1, "visits");
            expect("collective->ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                   step.reduce);
            expect("device->computation", step.forward + step.backward);
            expect("device->communication", step.reduce);
            expect("device->exposed communication", step.exposed());
            expect("device->memory", step.copy);
            expect("device->idle", step.idle);
            expect("cpu->forward", step.copy + step.forward, "device_time");
            expect("cpu->backward", step.backward, "device_time");
            expect("cpu->forward->cudaLaunchKernel", 1, "visits");
            expect("cpu->MPI_Barrier", 10e-9);
            expect("cpu->poll", 10e-9);
            expect("validation->step", 7e-6 * batch);
            expect("validation->kernel->void gemm<float>(int)", 5e-6 * batch);
            expect("validation->device->idle", 0.0);
        }
    }
    const std::string notes = notes_of(experiment);
    EXPECT_NE(notes.find("left out: 6 steps of the first epoch, which is warm-up"), std::string::npos)
        << notes;
    EXPECT_NE(notes.find("left out: the tables SCHED_EVENTS"), std::string::npos) << notes;
}

/// All times, with noise, against sums that SQLite computes.
TEST_P(NsightTest, AgreesWithSumsBySql) {
    const std::string file = (folder_.path() / "one.sqlite").string();
    write_nsight(file, {.step = step_of(2, 100), .steps = 7, .noise = 0.3}, GetParam());
    const auto experiment = read_profiles(std::array{file});
    sqlite::Database database(file, sqlite::Access::read_only, "");
    const auto sum = [&](const std::string& region, const char* metric) {
        double total = 0.0;
        for (const double value : values_at(experiment, region, metric, Values{1})) total += value;
        return total;
    };
    const auto seconds = [&](const std::string& sql) {
        return 1e-9 * static_cast<double>(database.number(sql.c_str()));
    };
    const std::string kernels =
        "select sum(end - start) from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s on s.id = "
        "k.demangledName "
        "where s.value like ";
    EXPECT_NEAR(sum("kernel->void gemm<float>(int)", "time"), seconds(kernels + "'%gemm<%'"), 1e-12);
    EXPECT_NEAR(
        sum("collective->ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "time"),
        seconds(kernels + "'nccl%'"), 1e-12);
    EXPECT_NEAR(sum("memcpy->Memcpy HtoD", "time"),
                seconds("select sum(end - start) from CUPTI_ACTIVITY_KIND_MEMCPY"), 1e-12);
    EXPECT_NEAR(sum("step", "time"),
                seconds("select sum(end - start) from NVTX_EVENTS where category = 2 and "
                        "eventType = 59"),
                1e-12);
    // Own times on the main thread add up to the ranges that are not steps or epochs and lie in no other.
    const double ranges =
        seconds("select sum(end - start) from NVTX_EVENTS where eventType = 59 and category = 0");
    const double barriers = GetParam() == NsightSchema::strings
                                ? seconds("select sum(end - start) from MPI_COLLECTIVES_EVENTS")
                                : 0.0;
    double own = 0.0;
    for (const auto& series : experiment.series) {
        const std::string& path = experiment.region(series).path;
        if (experiment.metric(series).name != "time" || !path.starts_with("cpu->") || path == "cpu->poll")
            continue;
        for (const double value : series.values) own += value;
    }
    EXPECT_NEAR(own, ranges + barriers, 1e-12);
}

TEST(Nsight, IsOneRunWithoutSteps) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "plain.p4.sqlite").string();
    {
        sqlite::Database database(file, sqlite::Access::create, "");
        database.execute("create table StringIds (id integer, value text)");
        database.execute("insert into StringIds values (1, 'saxpy'), (2, 'cudaLaunchKernel')");
        database.execute("create table CUPTI_ACTIVITY_KIND_KERNEL (start int, end int, shortName int)");
        database.execute(
            "insert into CUPTI_ACTIVITY_KIND_KERNEL values (100, 400, 1), (500, 900, 1), (950, null, 1)");
        database.execute(
            "create table CUPTI_ACTIVITY_KIND_RUNTIME (start int, end int, globalTid int, nameId int)");
        database.execute(
            "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (1, 3, 0, 2), (5, 10, 0, 2), (20, 10, 0, 2)");
    }
    const auto experiment = read_profiles(std::array{file});
    EXPECT_EQ(experiment.parameter_names(), std::vector<std::string>{"p"});
    const Values at{4};
    EXPECT_NEAR(values_at(experiment, "kernel->saxpy", "time", at).at(0), 700e-9, 1e-15);
    EXPECT_NEAR(values_at(experiment, "cpu->cudaLaunchKernel", "time", at).at(0), 7e-9, 1e-15);
    EXPECT_NEAR(values_at(experiment, "device->idle", "time", at).at(0), 100e-9, 1e-15);
    EXPECT_NE(notes_of(experiment).find("left out: 2 events without an end"), std::string::npos);
}

TEST(Nsight, KeepsTheProcessesOfOneFileApart) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "node.sqlite").string();
    write_nsight(file, {.step = step_of(2, 10), .rank = 3, .steps = 2}, NsightSchema::strings);
    {
        sqlite::Database database(file, sqlite::Access::create, "");
        // A second process, of twice the times, and one that does nothing of the kind.
        const std::string shift = fmt::format("{}", std::int64_t{5} << 24);
        for (const char* const table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"}) {
            database.execute(
                fmt::format("create table copy as select * from {0}; update copy set start = 2 * start, "
                            "end = 2 * end, globalPid = globalPid + {1}; insert into {0} select * from "
                            "copy; drop table copy",
                            table, shift)
                    .c_str());
        }
        for (const char* const table : {"CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "MPI_RANKS"}) {
            const bool has_times = std::string(table) != "MPI_RANKS";
            database.execute(
                fmt::format("create table copy as select * from {0}; update copy set {2} globalTid = "
                            "globalTid + {1}; insert into {0} select * from copy; drop table copy",
                            table, shift, has_times ? "start = 2 * start, end = 2 * end," : "rank = 1,")
                    .c_str());
        }
        database.execute(
            "insert into OSRT_API select start, end, globalTid + 77000000000, nameId from OSRT_API");
    }
    const auto experiment = read_profiles(std::array{file});
    const Values steps = values_at(experiment, "step", "time", Values{4});
    const double step = step_of(2, 10).duration();
    ASSERT_EQ(steps.size(), 4U);
    // By rank: the second process has rank 1, the first rank 3; 0 and 2 are not there.
    EXPECT_NEAR(steps[0], 2 * step, 1e-8);
    EXPECT_NEAR(steps[1], step, 1e-8);
    EXPECT_NEAR(values_at(experiment, "kernel->void gemm<float>(int)", "time", Values{4}).at(0), 200e-6,
                1e-8);
}

TEST(Nsight, ReadsWhatIsNoPlainFile) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "a.sqlite").string();
    write_nsight(file, {.step = step_of(2, 100)}, NsightSchema::strings);
    std::string bytes = read_file(file);
    bytes[18] = bytes[19] = 2;  // as of a database with a journal to write ahead to
    const auto experiment = test::read_profile(bytes);
    EXPECT_EQ(values_at(experiment, "step", "time", Values{1}).size(), 3U);
}

TEST(Nsight, SaysWhatIsWrongWhere) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "a.sqlite").string();
    const auto error_of = [](const std::string& text) {
        try {
            Collector profiles({});
            experiment::ExperimentBuilder builder;
            Input input("report.sqlite", text);
            experiment::read(input, builder, {.format = "nsight"}, &profiles);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
            EXPECT_FALSE(error.hint().empty());
            return std::string(error.what());
        }
        return std::string();
    };
    {
        sqlite::Database database(file, sqlite::Access::create, "");
        database.execute("create table song (title text)");
    }
    EXPECT_EQ(error_of(read_file(file)),
              "report.sqlite: has no table StringIds, and is no export of Nsight Systems");
    {
        sqlite::Database database(file, sqlite::Access::create, "");
        database.execute("create table StringIds (id integer, value text)");
    }
    EXPECT_EQ(error_of(read_file(file)), "report.sqlite: holds no measurements");
    write_nsight((folder.path() / "b.sqlite").string(), {.step = step_of(2, 100)}, NsightSchema::strings);
    const std::string bytes = read_file((folder.path() / "b.sqlite").string());
    EXPECT_EQ(error_of(bytes.substr(0, bytes.size() / 2)), "report.sqlite: database disk image is malformed");
}

TEST(Nsight, KeepsShortTimesThatCountSince1970) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "a.sqlite").string();
    {
        sqlite::Database database(file, sqlite::Access::create, "");
        database.execute("create table StringIds (id integer, value text)");
        database.execute(
            "insert into StringIds values (1, 'saxpy'), (2, 'cudaLaunchKernel'), (3, 'poll'), (4, 'train')");
        database.execute(
            "create table CUPTI_ACTIVITY_KIND_KERNEL (start int, end int, shortName int, correlationId int)");
        database.execute(
            "insert into CUPTI_ACTIVITY_KIND_KERNEL values (1764500000000000100, 1764500000000000220, 1, 7)");
        database.execute(
            "create table CUPTI_ACTIVITY_KIND_RUNTIME (start int, end int, globalTid int, nameId int, "
            "correlationId int)");
        database.execute(
            "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (1764500000000000050, 1764500000000000060, 1, 2, "
            "7)");
        // The operating system's calls have numbers of their own.
        database.execute(
            "create table OSRT_API (start int, end int, globalTid int, nameId int, correlationId int)");
        database.execute("insert into OSRT_API values (1764500000000000010, 1764500000000000020, 1, 3, 7)");
        database.execute("create table NVTX_EVENTS (start int, end int, globalTid int, textId int)");
        database.execute("insert into NVTX_EVENTS values (1764500000000000040, 1764500000000000090, 1, 4)");
    }
    const auto experiment = read_profiles(std::array{file});
    EXPECT_NEAR(values_at(experiment, "kernel->saxpy", "time", Values{1}).at(0), 120e-9, 1e-15);
    EXPECT_NEAR(values_at(experiment, "cpu->train", "device_time", Values{1}).at(0), 120e-9, 1e-15);
    EXPECT_EQ(test::find_series(experiment, "cpu->poll", "device_time"), nullptr);
}

TEST(Nsight, KeepsTheStepsOfTheFirstEpochWhereThereAreNoOthers) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "a.sqlite").string();
    {
        sqlite::Database database(file, sqlite::Access::create, "");
        database.execute("create table StringIds (id integer, value text)");
        database.execute("create table NVTX_EVENTS (start int, end int, globalTid int, text text)");
        // Each step is marked by two libraries.
        database.execute(
            "insert into NVTX_EVENTS values (0, 100, 1, 'epoch 0'), (100, 200, 1, 'epoch 1'), (10, 20, 1, "
            "'step 0'), (11, 19, 1, 'step 0'), (30, 50, 1, 'step 1')");
    }
    const auto experiment = read_profiles(std::array{file});
    const Values steps = values_at(experiment, "step", "time", Values{1});
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_NEAR(steps[0], 10e-9, 1e-15);
    EXPECT_NEAR(steps[1], 20e-9, 1e-15);
}

TEST(NsightSteps, AreKnownByTheirCategoryOrName) {
    using detail::step_mark;
    using Kind = detail::Timeline::StepKind;
    for (const char* const name :
         {"step 12", "Step_12", "iteration:12", "iter-12", "ProfilerStep#12", "train step 12", "batch=12"}) {
        SCOPED_TRACE(name);
        const auto mark = step_mark(name, "");
        ASSERT_TRUE(mark);
        EXPECT_EQ(mark->kind, Kind::training);
        EXPECT_EQ(mark->number, 12);
    }
    EXPECT_EQ(step_mark("val_step 3", "")->kind, Kind::validation);
    EXPECT_EQ(step_mark("Epoch 1", "")->kind, Kind::epoch);
    EXPECT_EQ(step_mark("anything", "testing_step")->kind, Kind::validation);
    EXPECT_EQ(step_mark("step 99999999999999999999", "")->number, std::nullopt);
    for (const char* const name : {"step", "12", "layer_3", "my step 3", "step 3b", ""})
        EXPECT_FALSE(step_mark(name, "")) << name;
}

}  // namespace
}  // namespace plimsoll::profile
