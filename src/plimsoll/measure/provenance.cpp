#include "plimsoll/measure/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::measure {

namespace {

std::string first_line(const std::string& file) {
    std::ifstream input(file);
    std::string line;
    std::getline(input, line);
    return std::string(trim(line));
}

std::string processor_model() {
    std::ifstream input("/proc/cpuinfo");
    for (std::string line; std::getline(input, line);) {
        if (line.starts_with("model name") || line.starts_with("Model"))
            return std::string(trim(std::string_view(line).substr(line.find(':') + 1)));
    }
    return {};
}

/// "off" where the processor may not go beyond its nominal frequency.
std::string turbo() {
    const std::string no_turbo = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (!no_turbo.empty()) return no_turbo == "0" ? "on" : "off";
    const std::string boost = first_line("/sys/devices/system/cpu/cpufreq/boost");
    return boost.empty() ? "" : boost == "1" ? "on" : "off";
}

/// Variables that decide how a program runs in parallel, as a JSON object; empty where there is none.
std::string environment_json() {
    constexpr std::array<std::string_view, 11> prefixes{
        "OMP_",       "KMP_",         "GOMP_",        "SLURM_JOB", "SLURM_NNODES", "SLURM_NTASKS",
        "SLURM_CPUS", "CUDA_VISIBLE", "OPENBLAS_NUM", "MKL_NUM",   "OMPI_MCA_"};
    std::vector<std::string> members;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        for (const std::string_view prefix : prefixes) {
            if (!text.starts_with(prefix)) continue;
            const std::size_t equals = text.find('=');
            members.push_back(fmt::format("{}:{}", json_quote(text.substr(0, equals)),
                                          json_quote(text.substr(equals + 1))));
        }
    }
    return members.empty() ? "" : fmt::format("{{{}}}", join(members, ","));
}

/// What comes through a pipe until its other end is closed; what there is where the time ends before.
std::string read_until(const launch::Descriptor& pipe, launch::Process::Clock::time_point deadline) {
    std::string text;
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - launch::Process::Clock::now());
        pollfd wait{.fd = pipe.number(), .events = POLLIN, .revents = 0};
        const int ready = left.count() > 0 ? ::poll(&wait, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return text;
        std::array<char, 256> block{};
        const ssize_t length = ::read(pipe.number(), block.data(), block.size());
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) return text;
        text.append(block.data(), static_cast<std::size_t>(length));
    }
}

/// The commit of the working folder; empty where there is none, no git, or one that hangs.
std::string git_commit(launch::Launcher& launcher, std::chrono::milliseconds patience) {
    launch::Command command{
        .arguments = {"git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"}};
    command.streams.out.to = launch::Redirection::To::pipe;
    command.streams.err.to = launch::Redirection::To::null;
    const auto deadline = launch::Process::Clock::now() + patience;
    try {
        launch::Process git = launcher.start(command);
        if (git.out().number() < 0) return {};  // a launcher that starts nothing
        const std::string text = read_until(git.out(), deadline);
        const auto exit = git.wait_until(deadline);
        return exit && exit->succeeded() ? std::string(trim(text)) : std::string();
    } catch (const Error&) {
        return {};  // no git on this machine
    }
}

}  // namespace

std::string date_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::map<std::string, std::string> provenance(launch::Launcher& launcher,
                                              std::chrono::milliseconds patience_with_git) {
    std::map<std::string, std::string> facts;
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) facts[name] = json_quote(value);
    };
    utsname system{};
    if (::uname(&system) == 0) {
        add("host", system.nodename);
        add("kernel", fmt::format("{} {}", system.sysname, system.release));
    }
    add("cpu", processor_model());
    facts["cores"] = std::to_string(std::thread::hardware_concurrency());
    add("governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    add("turbo", turbo());
    if (std::string variables = environment_json(); !variables.empty())
        facts["environment"] = std::move(variables);
    add("git", git_commit(launcher, patience_with_git));
    std::error_code ignored;
    add("folder", std::filesystem::current_path(ignored).string());
    add("date", date_now());
    return facts;
}

}  // namespace plimsoll::measure
