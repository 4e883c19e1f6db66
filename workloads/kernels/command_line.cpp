#include "kernels/command_line.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::kernels {

namespace {

constexpr std::size_t largest_size = 1'000'000;
constexpr std::size_t most_threads = 1'024;
constexpr std::size_t most_repetitions = 100'000;
constexpr std::size_t most_searches = 1'000'000'000;

Error usage(const std::string& message, const std::string& hint) { return {ErrorKind::usage, message, hint}; }

void expect_between(std::string_view option, std::size_t value, std::size_t low, std::size_t high) {
    if (value < low || value > high) {
        throw usage(fmt::format("--{} is {}", option, value),
                    fmt::format("give --{} a number from {} to {}", option, low, high));
    }
}

template <class Value>
void expect_once_each(std::string_view option, std::vector<Value> values) {
    std::sort(values.begin(), values.end());
    const auto twice = std::adjacent_find(values.begin(), values.end());
    if (twice != values.end()) {
        throw usage(fmt::format("--{} lists {} twice", option, *twice), "list each value once");
    }
}

void expect_list(std::string_view option, const std::vector<std::size_t>& values, std::size_t high) {
    for (const std::size_t value : values) {
        expect_between(option, value, 1, high);
    }
    expect_once_each(option, values);
}

KernelEntry kernel_named(const std::string& name) {
    std::vector<std::string> names;
    for (const KernelEntry& entry : all_kernels()) {
        if (entry.name == name) {
            return entry;
        }
        names.emplace_back(entry.name);
    }
    const auto near = nearest(name, names);
    throw usage(fmt::format("unknown region '{}'", name),
                near ? fmt::format("did you mean '{}'?", *near) : "choose from " + join(names, ", "));
}

std::string table_of_regions() {
    std::string text = "Regions below main->compute, and how their time grows:\n";
    for (const KernelEntry& entry : all_kernels()) {
        text += fmt::format("  {:16} {}\n", entry.name, entry.law);
    }
    return text + "\nExample:\n  kernels --size 1000,2000,4000 --threads 1,2 --region sort -o runs.jsonl";
}

void check(const Plan& plan) {
    expect_list("size", plan.sizes, largest_size);
    expect_list("threads", plan.threads, most_threads);
    expect_between("repetitions", plan.repetitions, 1, most_repetitions);
    expect_between("warmup", plan.warmup, 0, most_repetitions);
    expect_between("searches", plan.searches, 1, most_searches);
}

/// What is wrong with `text` as a number, else nothing; CLI11 alone takes -1 and 10^30 for 2^64 - 1.
std::string whole_number(const std::string& text) {
    const char* const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [rest, problem] = std::from_chars(text.data(), end, value);
    if (problem == std::errc{} && rest == end) {
        return "";
    }
    return fmt::format("'{}' is not a whole number below 2^64", text);
}

/// CLI11's texts begin with a capital letter, ours do not.
std::string message_of(const CLI::ParseError& error) {
    std::string text = error.what();
    text = text.substr(0, text.find('\n'));
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    return text;
}

}  // namespace

Request parse_command_line(int argc, const char* const* argv) {
    Request request;
    Plan& plan = request.plan;
    std::vector<std::string> regions;
    for (const KernelEntry& entry : plan.kernels) {
        regions.emplace_back(entry.name);
    }

    CLI::App app("Runs regions of known cost and times them; prints JSON lines (plimsoll.experiment/1).",
                 "kernels");
    app.option_defaults()->always_capture_default();
    const auto number = [&app](const char* name, auto& value, const char* help) {
        return app.add_option(name, value, help)->check(whole_number);
    };
    number("--size", plan.sizes, "Problem sizes n")->delimiter(',');
    number("--threads", plan.threads, "Numbers of threads, more than cores allowed")->delimiter(',');
    number("--repetitions", plan.repetitions, "Recorded runs of each configuration");
    app.add_option("--region", regions, "Regions to run below main->compute")->delimiter(',');
    number("--warmup", plan.warmup, "Runs of each configuration before the recorded ones");
    number("--searches", plan.searches, "Queries of the region 'search'");
    number("--seed", plan.seed, "Seed of the inputs and of the order of measurement");
    app.add_option("-o,--output", request.output, "File to write, - for stdout");
    app.footer(table_of_regions());
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        request.help = app.help();
        return request;
    } catch (const CLI::ParseError& error) {
        throw usage(message_of(error), "see 'kernels --help'");
    }

    check(plan);
    expect_once_each("region", regions);
    plan.kernels.clear();
    for (const std::string& name : regions) {
        plan.kernels.push_back(kernel_named(name));
    }
    return request;
}

}  // namespace plimsoll::kernels
