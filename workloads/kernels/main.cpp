#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "kernels/command_line.hpp"
#include "kernels/failure.hpp"
#include "kernels/json_lines.hpp"
#include "kernels/measurement.hpp"
#include "kernels/output_file.hpp"
#include "kernels/progress_line.hpp"

namespace {

using namespace plimsoll::kernels;

volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C once ends the program after the run under way, twice at once.
extern "C" void note_interrupt(int /*signal*/) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
}

void measure_and_write(const Request& request) {
    OutputFile output(request.output);
    ProgressLine progress;
    output.write(header_line(current_metadata(request.plan.seed)));
    const Listener listener{
        .run_starts =
            [&](std::size_t done, std::size_t total, const Configuration& configuration) {
                if (interrupted != 0) {
                    throw Failure(FailureKind::interrupted,
                                  fmt::format("interrupted at run {} of {}", done, total),
                                  "start again; fewer --size or --repetitions take less time");
                }
                progress.show(done, total,
                              fmt::format("n = {}, threads = {}", configuration.n, configuration.threads));
            },
        .measured =
            [&](const Measurement& measurement) {
                progress.clear();
                output.write(measurement_lines(measurement));
            }};
    measure(request.plan, listener);
    output.finish();
}

int report(const char* message, const char* hint, FailureKind kind) {
    fmt::print(stderr, "error: {}\nhint: {}\n", message, hint);
    return static_cast<int>(kind);
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGINT, note_interrupt);
    try {
        const Request request = parse_command_line(argc, argv);
        if (request.help) {
            fmt::print("{}", *request.help);
            return 0;
        }
        measure_and_write(request);
        return 0;
    } catch (const Failure& failure) {
        return report(failure.what(), failure.hint().c_str(), failure.kind());
    } catch (const std::bad_alloc&) {
        return report("not enough memory", "choose a smaller --size", FailureKind::environment);
    } catch (const std::system_error& error) {
        return report(error.what(), "choose fewer --threads", FailureKind::environment);
    } catch (const std::exception& error) {
        return report(error.what(), "report this with the command that was run", FailureKind::internal);
    }
}
