// What workloads/kernels does around its kernels: time regions, measure a grid, write JSON lines.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kernels/command_line.hpp"
#include "kernels/json_lines.hpp"
#include "kernels/measurement.hpp"
#include "kernels/program_run.hpp"
#include "kernels/region_clock.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::kernels {
namespace {

Plan small_plan() {
    Plan plan{.sizes = {20, 10}, .threads = {1, 2}, .repetitions = 3, .warmup = 1, .searches = 10};
    plan.kernels.resize(1);
    return plan;
}

/// The runs of a plan in the order in which they started.
std::vector<Configuration> order_of_runs(const Plan& plan) {
    std::vector<Configuration> started;
    measure(plan,
            {.run_starts = [&](std::size_t, std::size_t, const Configuration& c) { started.push_back(c); },
             .measured = [](const Measurement&) {}});
    return started;
}

Request parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "kernels");
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(RegionClock, GivesEachMomentToTheInnermostRegionOnly) {
    using std::chrono::nanoseconds;
    RegionClock::Clock::time_point time;
    RegionClock clock([&] { return time += nanoseconds(1); });  // each beginning and each end takes a moment
    {
        const RegionClock::Region main(clock, "main");
        { const RegionClock::Region setup(clock, "setup"); }
        const RegionClock::Region compute(clock, "compute");
        { const RegionClock::Region sort(clock, "sort"); }
    }
    std::vector<std::pair<std::string, nanoseconds>> times;
    for (const RegionTime& region : clock.times()) times.emplace_back(region.path, region.exclusive);
    // With all that is inside, main would have seven and compute three.
    EXPECT_EQ(times,
              (std::vector<std::pair<std::string, nanoseconds>>{{"main", nanoseconds(3)},
                                                                {"main->setup", nanoseconds(1)},
                                                                {"main->compute", nanoseconds(2)},
                                                                {"main->compute->sort", nanoseconds(1)}}));
}

TEST(ProgramRun, RefusesAWrongResult) {
    class Wrong final : public Kernel {
        std::uint64_t run(const Team& /*team*/) override { return 0; }
        bool is_right() const override { return false; }
    };
    const KernelEntry entry{
        .name = "wrong", .law = "1", .make = [](const Problem&) -> std::unique_ptr<Kernel> {
            return std::make_unique<Wrong>();
        }};
    ThreadPool pool(1);
    try {
        (void)run_program({.n = 5, .seed = 9}, pool.team(1), {&entry, 1});
        FAIL() << "a wrong result went unnoticed";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::internal);
        EXPECT_STREQ(failure.what(), "region 'wrong' computed a wrong result (n = 5, threads = 1, seed = 9)");
    }
}

TEST(Measurement, ComesInGridOrderWithOneValueARepetition) {
    Plan plan = small_plan();
    std::vector<Configuration> reported;
    measure(plan, {.run_starts = [](std::size_t, std::size_t, const Configuration&) {},
                   .measured =
                       [&](const Measurement& measurement) {
                           reported.push_back(measurement.configuration);
                           ASSERT_EQ(measurement.regions.size(), 4U);
                           EXPECT_EQ(measurement.regions.back().region, "main->compute->sort");
                           for (const Series& series : measurement.regions) {
                               EXPECT_EQ(series.seconds.size(), plan.repetitions);
                           }
                       }});
    EXPECT_EQ(reported, grid(plan));
}

TEST(Measurement, RunsEachConfigurationOnceABlockInAnotherOrder) {
    const Plan plan = small_plan();
    const std::vector<Configuration> all = grid(plan);
    const std::vector<Configuration> started = order_of_runs(plan);
    ASSERT_EQ(started.size(), 4 * all.size());
    bool orders_differ = false;
    for (auto block = started.begin(); block != started.end(); block += std::ssize(all)) {
        EXPECT_TRUE(std::is_permutation(all.begin(), all.end(), block));
        orders_differ = orders_differ || !std::equal(all.begin(), all.end(), block);
    }
    EXPECT_TRUE(orders_differ);
    EXPECT_EQ(order_of_runs(plan), started);
}

TEST(JsonLines, HeaderIsExactlyAsDocumented) {
    const workloads::Machine machine{
        .host = "node\\1", .cpu = "Some \"CPU\"\t", .date = "2026-11-29T12:00:00Z", .compiler = "gcc 12.2.0"};
    EXPECT_EQ(header_line(machine, 18446744073709551615U),
              R"({"schema":"plimsoll.experiment/1","parameters":["n","threads"],)"
              R"("metadata":{"program":"kernels","host":"node\\1","cpu":"Some \"CPU\"\t",)"
              R"("date":"2026-11-29T12:00:00Z","compiler":"gcc 12.2.0","seed":18446744073709551615}})"
              "\n");
}

TEST(JsonLines, EachRegionIsExactlyOneLineAsDocumented) {
    const Measurement measurement{.configuration = {.n = 1000, .threads = 2},
                                  .regions = {{.region = "main", .seconds = {0.5, 2.0}},
                                              {.region = "main->compute->sort", .seconds = {0.0012, 3e-8}}}};
    EXPECT_EQ(
        measurement_lines(measurement),
        R"({"params":{"n":1000,"threads":2},"region":"main","metric":"time","unit":"s","value":[0.5,2]})"
        "\n"
        R"({"params":{"n":1000,"threads":2},"region":"main->compute->sort","metric":"time","unit":"s",)"
        R"("value":[0.0012,3e-08]})"
        "\n");
}

TEST(CommandLine, SetsWhatItNames) {
    const Request request =
        parse({"--size", "1000,2000", "--threads", "1,4", "--repetitions", "7", "--region", "stencil,sort",
               "--warmup", "0", "--seed", "5", "-o", "out.jsonl"});
    EXPECT_EQ(request.plan.sizes, (std::vector<std::size_t>{1000, 2000}));
    EXPECT_EQ(request.plan.threads, (std::vector<std::size_t>{1, 4}));
    EXPECT_EQ(request.plan.repetitions, 7U);
    EXPECT_EQ(request.plan.warmup, 0U);
    EXPECT_EQ(request.plan.seed, 5U);
    EXPECT_EQ(request.output, "out.jsonl");
    ASSERT_EQ(request.plan.kernels.size(), 2U);
    EXPECT_EQ(request.plan.kernels[0].name, "stencil");
    EXPECT_EQ(request.plan.kernels[1].name, "sort");
}

TEST(CommandLine, RunsEveryRegionByDefault) {
    const Request request = parse({});
    EXPECT_EQ(request.plan.kernels.size(), all_kernels().size());
    EXPECT_EQ(request.output, "-");
    EXPECT_FALSE(request.help);
}

TEST(CommandLine, HelpListsEveryRegion) {
    const Request request = parse({"--help"});
    ASSERT_TRUE(request.help);
    for (const KernelEntry& entry : all_kernels()) {
        EXPECT_NE(request.help->find(entry.name), std::string::npos) << entry.name;
    }
}

TEST(CommandLine, SaysWhatIsWrongAndWhatWouldBeRight) {
    struct Case {
        std::vector<const char*> arguments;
        std::string message;
        std::string hint;
    };
    const std::vector<Case> cases{
        {{"--size", "0"}, "--size is 0", "give --size a number from 1 to 1000000"},
        {{"--threads", "1,2000"}, "--threads is 2000", "give --threads a number from 1 to 1024"},
        {{"--repetitions", "0"}, "--repetitions is 0", "give --repetitions a number from 1 to 100000"},
        {{"--size", "10,20,10"}, "--size lists 10 twice", "list each value once"},
        {{"--region", "sort,sort"}, "--region lists sort twice", "list each value once"},
        {{"--region", "sorted"}, "unknown region 'sorted'", "did you mean 'sort'?"},
        {{"--region", "fourier"},
         "unknown region 'fourier'",
         "choose from sort, matrix_multiply, matrix_vector, all_pairs, stencil, search, prefix_sum, barrier"},
        {{"--size", "ten"}, "--size: 'ten' is not a whole number below 2^64", "see 'kernels --help'"},
        {{"--size", "-5"}, "--size: '-5' is not a whole number below 2^64", "see 'kernels --help'"},
        {{"--seed", "18446744073709551616"},
         "--seed: '18446744073709551616' is not a whole number below 2^64",
         "see 'kernels --help'"},
        {{"--sizes", "10"}, "the following arguments were not expected: 10 --sizes", "see 'kernels --help'"},
    };
    for (const Case& wrong : cases) {
        SCOPED_TRACE(wrong.message);
        try {
            (void)parse(wrong.arguments);
            ADD_FAILURE() << "accepted";
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::usage);
            EXPECT_STREQ(failure.what(), wrong.message.c_str());
            EXPECT_EQ(failure.hint(), wrong.hint);
        }
    }
}

}  // namespace
}  // namespace plimsoll::kernels
