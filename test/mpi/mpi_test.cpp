// Runs MPI programs with libplimsoll-mpi loaded, and compares what it counted with what they are known to
// move.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/measured_program.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll {
namespace {

using test::Ended;
using test::run;
using test::run_for_output;
using test::sum_of;
using test::Values;
using Matrix = std::vector<std::vector<double>>;

class Mpi : public testing::TestWithParam<int> {
  protected:
    /// Open MPI asks for permission where it runs as root, and for more ranks than cores.
    [[nodiscard]] static std::string launch(int ranks, const std::string& environment,
                                            const std::string& command) {
        return fmt::format(
            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 "
            "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 120 {} -n {} env {} {}",
            PLIMSOLL_MPIEXEC, ranks, environment, command);
    }

    [[nodiscard]] Ended measured(int ranks, const std::string& command) const {
        return run_for_output(launch(
            ranks, fmt::format("LD_PRELOAD={} PLIMSOLL_REGIONS={}", PLIMSOLL_MPI_LIBRARY, file_), command));
    }

    test::TemporaryFolder folder_;
    std::string file_ = folder_ / "runs.jsonl";
};

TEST_P(Mpi, CountsTheBytesOfEachFunction) {
    const Ended ended = measured(GetParam(), PLIMSOLL_MPI_CALLS);
    ASSERT_EQ(ended.status, 0) << ended.output;
    const Values values = test::values_of(file_);
    std::istringstream lines(ended.output);
    std::string function;
    int functions = 0;
    for (double sent = 0, received = 0; lines >> function >> sent >> received; ++functions) {
        SCOPED_TRACE(function);
        EXPECT_EQ(sum_of(values, function, "bytes_sent"), sent);
        EXPECT_EQ(sum_of(values, function, "bytes_received"), received);
    }
    EXPECT_GT(functions, 45) << ended.output;
    // And none that moves nothing.
    for (const auto& [key, repetitions] : values) {
        if (key.second.starts_with("bytes_")) {
            EXPECT_NE(ended.output.find(key.first + " "), std::string::npos) << key.first;
        }
    }
}

TEST_P(Mpi, ShowsCallsBelowRegionsWithTheirTraffic) {
    const int p = GetParam();
    constexpr int n = 300;
    constexpr int runs = 3;
    const double part = runs * 10.0 * 8 * n;  // ten rounds a run
    const Ended ended = measured(
        p, fmt::format("{} --size {} --warmup 1 --repetitions {}", PLIMSOLL_KERNELS_MPI, n, runs - 1));
    ASSERT_EQ(ended.status, 0) << ended.output;
    const Values values = test::values_of(file_);
    const auto each = [p](double value) {
        return Matrix{std::vector<double>(static_cast<std::size_t>(p), value)};
    };

    EXPECT_EQ(values.at({"main->ring->MPI_Isend", "bytes_sent"}), each(part));
    EXPECT_EQ(values.at({"main->ring->MPI_Waitall", "bytes_received"}), each(part));
    EXPECT_EQ(values.at({"main->ring->MPI_Isend", "visits"}), each(runs * 10));
    for (const char* metric : {"bytes_sent", "bytes_received"}) {
        EXPECT_EQ(values.at({"main->allreduce->MPI_Allreduce", metric}), each(part));
        EXPECT_EQ(values.at({"main->alltoall->MPI_Alltoall", metric}), each(p * part));
    }
    EXPECT_EQ(sum_of(values, "main->broadcast->MPI_Bcast", "bytes_sent"), part);
    EXPECT_EQ(sum_of(values, "main->broadcast->MPI_Bcast", "bytes_received"), (p - 1) * part);
    EXPECT_EQ(values.at({"main", "visits"}), each(runs));
    EXPECT_EQ(values.at({"MPI_Init", "visits"}), each(1));
    EXPECT_EQ(values.at({"MPI_Finalize", "visits"}), each(1));
}

TEST_P(Mpi, CountsWhatThreadsDoAtTheSameTime) {
    const int p = GetParam();
    const Ended ended = measured(p, PLIMSOLL_MPI_THREADS);
    ASSERT_EQ(ended.status, 0) << ended.output;
    const Values values = test::values_of(file_);
    EXPECT_EQ(values.at({"main->work", "visits"}),
              Matrix{std::vector<double>(2 * static_cast<std::size_t>(p), 1)});
    EXPECT_EQ(sum_of(values, "main->work->MPI_Send", "bytes_sent"), p * 500 * 21);
    EXPECT_EQ(sum_of(values, "main->work->MPI_Wait", "bytes_received"), p * 500 * 21);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Mpi, testing::Values(1, 2, 4));

TEST_F(Mpi, MeasuresOtherPeoplesProgramsAsTheyAre) {
    if (run("command -v NPopenmpi").status != 0) GTEST_SKIP() << "netpipe-openmpi is not installed";
    const Ended ended =
        measured(2, fmt::format("NPopenmpi -l 1024 -u 1024 -n 100 -p 0 -o {}", folder_ / "np.out"));
    ASSERT_EQ(ended.status, 0) << ended.output;
    const Values values = test::values_of(file_);
    // There and back 100 times for the latency and 100 times in each of three trials; its first rank tells
    // one int.
    const double messages = 400 * 1024;
    EXPECT_EQ(values.at({"MPI_Send", "bytes_sent"}), (Matrix{{messages + 4, messages}}));
    EXPECT_EQ(values.at({"MPI_Recv", "bytes_received"}), (Matrix{{messages, messages + 4}}));
}

#ifdef PLIMSOLL_MPI_FORTRAN_BINDING
TEST_F(Mpi, CountsCallsFromFortran) {
    const Ended ended = measured(2, PLIMSOLL_MPI_FORTRAN_BINDING);
    ASSERT_EQ(ended.status, 0) << ended.output;
    const Values values = test::values_of(file_);
    EXPECT_EQ(values.at({"MPI_Init", "visits"}), (Matrix{{1, 1}}));
    EXPECT_EQ(values.at({"MPI_Allreduce", "bytes_received"}), (Matrix{{16, 16}}));
    EXPECT_EQ(values.at({"MPI_Send", "bytes_sent"}), (Matrix{{16, 16}}));
    EXPECT_EQ(values.at({"MPI_Waitall", "bytes_received"}), (Matrix{{16, 16}}));
    EXPECT_EQ(values.at({"MPI_Waitall", "visits"}), (Matrix{{1, 1}}));
}
#endif

TEST_F(Mpi, WritesNothingWhereNoFileIsNamed) {
    const std::string errors = folder_ / "errors.txt";
    const std::string command =
        fmt::format("{} --size 10 --repetitions 1 2> {}", PLIMSOLL_KERNELS_MPI, errors);
    const Ended with = run_for_output(
        launch(2, fmt::format("-u PLIMSOLL_REGIONS LD_PRELOAD={}", PLIMSOLL_MPI_LIBRARY), command));
    EXPECT_EQ(with.status, 0) << with.output;
    EXPECT_EQ(run(fmt::format("grep -i plimsoll {}", errors)).output, "");
    for (std::istringstream lines(with.output); !lines.eof();) {
        std::string line;
        if (std::getline(lines, line)) {
            EXPECT_EQ(line.front(), '{') << line;
        }
    }
}

TEST_F(Mpi, LeavesProgramsWithoutMpiToTheirRegions) {
    const Ended ended = run(fmt::format("LD_PRELOAD={} PLIMSOLL_REGIONS={} {} tree", PLIMSOLL_MPI_LIBRARY,
                                        file_, PLIMSOLL_REGION_PROGRAM));
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(sum_of(test::values_of(file_), "main->solve", "visits"), 3);
}

/// Without the library each rank writes for itself.
TEST_F(Mpi, ProgramsAloneWriteARepetitionARank) {
    const Ended ended =
        run_for_output(launch(2, fmt::format("PLIMSOLL_REGIONS={}", file_),
                              fmt::format("{} --size 10 --repetitions 1 --warmup 0", PLIMSOLL_KERNELS_MPI)));
    ASSERT_EQ(ended.status, 0) << ended.output;
    EXPECT_EQ(test::values_of(file_).at({"main->ring", "visits"}), (Matrix{{1}, {1}}));
    EXPECT_EQ(run(fmt::format("grep -c '\"params\":{{\"p\":2}}' {}", file_)).output, "20\n");
}

}  // namespace
}  // namespace plimsoll
