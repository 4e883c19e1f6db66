#include "support/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

#include "plimsoll/core/text.hpp"

namespace plimsoll::workloads {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// As Linux names it on x86; other processors have no such line.
std::string cpu_model() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        const std::size_t value = line.find(": ");
        if (line.starts_with("model name") && value != std::string::npos) {
            return line.substr(value + 2);
        }
    }
    return "unknown";
}

std::string compiler() {
#ifdef __clang__
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

Machine this_machine() {
    return {.host = host_name(),
            .cpu = cpu_model(),
            .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
            .compiler = compiler()};
}

std::string json_members(const Machine& machine) {
    return fmt::format(R"("host":{},"cpu":{},"date":{},"compiler":{})", json_quote(machine.host),
                       json_quote(machine.cpu), json_quote(machine.date), json_quote(machine.compiler));
}

}  // namespace plimsoll::workloads
