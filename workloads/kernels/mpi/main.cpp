#include <fmt/core.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "kernels/mpi/traffic.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/text.hpp"
#include "support/machine.hpp"

namespace {

using namespace plimsoll;
using namespace plimsoll::kernels;

struct Request {
    std::vector<std::size_t> sizes{1000, 10000, 100000};
    std::size_t repetitions = 5;
    std::size_t warmup = 1;
    std::string output = "-";
};

void describe(CLI::App& app, Request& request) {
    app.option_defaults()->always_capture_default();
    app.add_option("--size", request.sizes, "Numbers n of 8 bytes that each operation moves a rank")
        ->delimiter(',')
        ->check(CLI::Range(1, 100'000'000));
    app.add_option("--repetitions", request.repetitions, "Recorded runs of each size")
        ->check(CLI::Range(1, 100'000));
    app.add_option("--warmup", request.warmup, "Runs of each size before the recorded ones")
        ->check(CLI::Range(0, 100'000));
    app.add_option("-o,--output", request.output, "File to write, - for stdout");
}

/// The times of one region: [repetitions x ranks], on the first rank.
using Times = std::vector<std::vector<double>>;

std::string lines_of(std::size_t n, int processes, const std::vector<RegionTime>& regions,
                     const std::vector<Times>& times) {
    std::string lines;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        std::vector<std::string> repetitions;
        for (const std::vector<double>& ranks : times[i]) {
            std::vector<std::string> seconds;
            seconds.reserve(ranks.size());
            for (const double second : ranks) seconds.push_back(fmt::format("{}", second));
            repetitions.push_back("[" + join(seconds, ",") + "]");
        }
        lines += fmt::format(
            R"({{"params":{{"n":{},"p":{}}},"region":{},"metric":"time","unit":"s","value":[{}]}})"
            "\n",
            n, processes, json_quote(regions[i].path), join(repetitions, ","));
    }
    return lines;
}

/// The lines of one size; empty but on the first rank.
std::string measured(std::size_t n, const Request& request, int rank, int processes) {
    std::vector<RegionTime> regions;
    std::vector<Times> times;
    for (std::size_t run = 0; run < request.warmup + request.repetitions; ++run) {
        MPI_Barrier(MPI_COMM_WORLD);
        regions = run_traffic(n, MPI_COMM_WORLD);
        if (run < request.warmup) continue;
        times.resize(regions.size());
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const double mine = std::chrono::duration<double>(regions[i].exclusive).count();
            std::vector<double> all(static_cast<std::size_t>(processes));
            MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            times[i].push_back(all);
        }
    }
    return rank == 0 ? lines_of(n, processes, regions, times) : "";
}

std::string header() {
    return fmt::format(
        R"({{"schema":"plimsoll.experiment/1","parameters":["n","p"],"metadata":{{"program":"kernels-mpi",{}}}}})"
        "\n",
        workloads::json_members(workloads::this_machine()));
}

void measure_and_write(const Request& request) {
    int rank = 0;
    int processes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    OutputFile output(rank == 0 ? request.output : "/dev/null");
    if (rank == 0) output.write(header());
    for (const std::size_t n : request.sizes) {
        output.write(measured(n, request, rank, processes));
        output.flush();
    }
    output.commit();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Request request;
    CLI::App app(
        "Runs MPI regions of known traffic and times them; prints JSON lines (plimsoll.experiment/1).",
        "kernels-mpi");
    describe(app, request);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        app.parse(argc, argv);
        measure_and_write(request);
    } catch (const CLI::CallForHelp&) {
        if (rank == 0) fmt::print("{}", app.help());
    } catch (const CLI::ParseError& error) {
        // All ranks see the same arguments, so all end here.
        if (rank == 0) fmt::print(stderr, "error: {}\nhint: see 'kernels-mpi --help'\n", error.what());
        MPI_Finalize();
        return exit_code(ErrorKind::usage);
    } catch (const Error& error) {
        fmt::print(stderr, "error: {}\nhint: {}\n", error.what(), error.hint());
        MPI_Abort(MPI_COMM_WORLD, exit_code(error.kind()));
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\nhint: choose a smaller --size\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, exit_code(ErrorKind::environment));
    }
    MPI_Finalize();
    return 0;
}
