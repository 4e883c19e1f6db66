#include "heat/command_line.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "plimsoll/core/error.hpp"

namespace plimsoll::heat {

namespace {

constexpr std::uint64_t largest_size = 4096;
constexpr std::uint64_t most_steps = 1'000'000'000;
constexpr double largest_error = 1e-9;  ///< rounding of a million steps stays far below it

int report(const Error& error) {
    fmt::print(stderr, "error: {}\nhint: {}\n", error.what(), error.hint());
    return exit_code(error.kind());
}

int report_alone(const Error& error, Ranks& ranks) {
    const int status = report(error);
    ranks.end_all(status);
    return status;
}

}  // namespace

Request parse_command_line(int argc, const char* const* argv, const char* program) {
    Request request;
    Settings& settings = request.settings;
    CLI::App app("Solves the heat equation in a cube, with checkpoints; prints one JSON line.", program);
    app.option_defaults()->always_capture_default();
    app.add_option("--size", settings.size, "Grid points along each edge")
        ->check(CLI::Range(std::uint64_t{1}, largest_size));
    app.add_option("--steps", settings.steps, "Steps to compute in all")
        ->check(CLI::Range(std::uint64_t{0}, most_steps));
    app.add_option("--checkpoints", settings.folder, "Folder to save to, and to go on from");
    app.add_option("--every", settings.every, "Steps between two saves")
        ->check(CLI::Range(std::uint64_t{1}, most_steps));
    app.add_option("--keep", settings.keep, "Newest saves that are kept")
        ->check(CLI::Range(std::uint64_t{2}, most_steps));
    app.add_flag(
        "--wait", [&](std::int64_t) { settings.waiting = Waiting::for_durable; },
        "Wait until each save is durable");
    app.add_flag(
        "--lazy", [&](std::int64_t) { settings.capture = checkpoint::Capture::lazy; },
        "Copy the grid while the next steps are computed, not before them");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        request.help = app.help();
    } catch (const CLI::ParseError& error) {
        throw Error(ErrorKind::usage, error.what(), fmt::format("see '{} --help'", program));
    }
    return request;
}

int run_program(int argc, const char* const* argv, const char* program, Ranks& ranks) {
    try {
        const Request request = parse_command_line(argc, argv, program);
        if (request.help) {
            if (ranks.rank() == 0) fmt::print("{}", *request.help);
            return 0;
        }
        const Result result = run(request.settings, ranks);
        if (!(result.largest_error <= largest_error)) {
            throw Error(ErrorKind::internal,
                        fmt::format("the result is {} off the known one", result.largest_error),
                        "report this with the command that was run");
        }
        if (ranks.rank() != 0) return 0;
        for (const std::string& line : result.passed_over) fmt::print(stderr, "note: passed over {}\n", line);
        for (const std::string& line : result.failures) fmt::print(stderr, "note: not saved: {}\n", line);
        fmt::print("{}", json_line(request.settings, ranks.size(), result));
        return 0;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) return report_alone(error, ranks);
        // All ranks meet these alike.
        return ranks.rank() == 0 ? report(error) : exit_code(error.kind());
    } catch (const std::bad_alloc&) {
        return report_alone({ErrorKind::environment, "not enough memory", "choose a smaller --size"}, ranks);
    } catch (const std::exception& error) {
        return report_alone({ErrorKind::internal, error.what(), "report this with the command that was run"},
                            ranks);
    }
}

}  // namespace plimsoll::heat
