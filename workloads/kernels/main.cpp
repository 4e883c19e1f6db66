#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "kernels/command_line.hpp"
#include "kernels/json_lines.hpp"
#include "kernels/measurement.hpp"
#include "kernels/progress_line.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/core/progress.hpp"

namespace {

using namespace plimsoll;
using namespace plimsoll::kernels;

constexpr int interrupted_status = 130;

volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C or SIGTERM once ends the program after the run under way, twice at once.
extern "C" void note_interrupt(int /*signal*/) {
    if (interrupted != 0) {
        remove_unfinished_files();
        ::_exit(interrupted_status);
    }
    interrupted = 1;
}

void measure_and_write(const Request& request) {
    OutputFile output(request.output);
    ProgressLine progress;
    output.write(header_line(workloads::this_machine(), request.plan.seed));
    const Listener listener{
        .run_starts =
            [&](std::size_t done, std::size_t total, const Configuration& configuration) {
                if (interrupted != 0) {
                    throw Cancelled();
                }
                progress.show(done, total,
                              fmt::format("n = {}, threads = {}", configuration.n, configuration.threads));
            },
        .measured =
            [&](const Measurement& measurement) {
                progress.clear();
                output.write(measurement_lines(measurement));
                output.flush();
            }};
    measure(request.plan, listener);
    output.commit();
}

int report(const Error& error) {
    fmt::print(stderr, "error: {}\nhint: {}\n", error.what(), error.hint());
    return exit_code(error.kind());
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGINT, note_interrupt);
    std::signal(SIGTERM, note_interrupt);
    try {
        const Request request = parse_command_line(argc, argv);
        if (request.help) {
            fmt::print("{}", *request.help);
            return 0;
        }
        measure_and_write(request);
        return 0;
    } catch (const Error& error) {
        return report(error);
    } catch (const Cancelled&) {
        fmt::print(stderr, "interrupted; fewer --size or --repetitions take less time\n");
        return interrupted_status;
    } catch (const std::bad_alloc&) {
        return report({ErrorKind::environment, "not enough memory", "choose a smaller --size"});
    } catch (const std::system_error& error) {
        return report({ErrorKind::environment, error.what(), "choose fewer --threads"});
    } catch (const std::exception& error) {
        return report({ErrorKind::internal, error.what(), "report this with the command that was run"});
    }
}
