#include <fmt/core.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "training/gathered.hpp"
#include "training/json_lines.hpp"
#include "training/run.hpp"
#include "training/run_list.hpp"
#include "training/settings.hpp"

namespace {

using namespace plimsoll;
using namespace plimsoll::training_workload;

constexpr int answer_is_no = 1;

void show(const EpochResult& epoch) {
    std::string text = fmt::format("epoch {}: {:.2f} s", epoch.number, epoch.seconds);
    if (epoch.steps > 0) text += fmt::format(", loss {:.4f}", epoch.loss);
    if (epoch.validated > 0)
        text += fmt::format(", {:.1f} % of {} images right", 100.0 * epoch.accuracy, epoch.validated);
    fmt::print(stderr, "{}\n", text);
}

void write_profile(const Trace& trace, const std::string& folder, int rank, int ranks) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        throw Error(ErrorKind::environment, fmt::format("{}: {}", folder, problem.message()),
                    "give --profile a folder that can be made");
    }
    trace.write(fmt::format("{}/rank{}.json", folder, rank), static_cast<std::size_t>(rank),
                static_cast<std::size_t>(ranks));
}

/// The exit code.
int train(const std::vector<Settings>& runs, int rank, int ranks) {
    std::vector<Measured> measured;
    bool has_failed = false;
    for (const Settings& settings : runs) {
        Trace trace;
        const RunResult result = run(settings, MPI_COMM_WORLD, trace, show);
        if (!settings.profile.empty()) write_profile(trace, settings.profile, rank, ranks);
        measured.push_back({.settings = settings, .ranks = gathered(result, MPI_COMM_WORLD)});
        has_failed = has_failed || (settings.target_accuracy && !result.has_reached_target);
    }
    if (rank == 0) {
        OutputFile output(runs.front().output);
        output.write(json_lines(workloads::this_machine(), measured));
        output.commit();
    }
    return has_failed ? answer_is_no : 0;
}

int report(const Error& error) {
    fmt::print(stderr, "error: {}\nhint: {}\n", error.what(), error.hint());
    return exit_code(error.kind());
}

/// What every rank meets alike is told once, and ends without a word of MPI's.
int refuse(const Error& error, int rank) { return rank == 0 ? report(error) : exit_code(error.kind()); }

/// Errors of other kinds end all ranks at once.
int fail(const Error& error, int rank) {
    if (error.kind() == ErrorKind::usage) return refuse(error, rank);
    MPI_Abort(MPI_COMM_WORLD, report(error));
    return exit_code(error.kind());
}

int run_rank(int argc, char** argv, int rank, int ranks) {
    try {
        const Request request = parse_command_line(argc, argv);
        if (request.help) {
            if (rank == 0) fmt::print("{}", *request.help);
            return 0;
        }
        std::vector<Settings> runs;
        try {
            runs = settings_of_runs(argc, argv, request.settings);
        } catch (const Error& error) {
            return refuse(error, rank);
        }
        return train(runs, rank, ranks);
    } catch (const Error& error) {
        return fail(error, rank);
    } catch (const std::bad_alloc&) {
        return fail({ErrorKind::environment, "not enough memory", "choose a smaller --batch"}, rank);
    } catch (const std::exception& error) {
        return fail({ErrorKind::internal, error.what(), "report this with the command that was run"}, rank);
    }
}

}  // namespace

int main(int argc, char** argv) {
    // One thread alone calls MPI: libtorch runs a backward pass on processors in the thread that asks for it.
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int status = run_rank(argc, argv, rank, ranks);
    MPI_Finalize();
    return status;
}
