#include "kernels/json_lines.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

#include "plimsoll/core/text.hpp"

namespace plimsoll::kernels {

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

Metadata current_metadata(std::uint64_t seed) {
    return {.host = host_name(),
            .cpu = cpu_model(),
            .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
            .compiler = compiler(),
            .seed = seed};
}

std::string header_line(const Metadata& metadata) {
    return fmt::format(R"({{"schema":"plimsoll.experiment/1","parameters":["n","threads"],)"
                       R"("metadata":{{"program":"kernels","host":{},"cpu":{},"date":{},"compiler":{},)"
                       R"("seed":{}}}}})"
                       "\n",
                       json_quote(metadata.host), json_quote(metadata.cpu), json_quote(metadata.date),
                       json_quote(metadata.compiler), metadata.seed);
}

std::string measurement_lines(const Measurement& measurement) {
    std::string lines;
    for (const Series& series : measurement.regions) {
        std::string numbers;  // not by fmt::join, which g++ 12 at -O3 warns about for no reason
        for (const double seconds : series.seconds) {
            numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", seconds);
        }
        lines += fmt::format(
            R"({{"params":{{"n":{},"threads":{}}},"region":{},"metric":"time","unit":"s","value":[{}]}})"
            "\n",
            measurement.configuration.n, measurement.configuration.threads, json_quote(series.region),
            numbers);
    }
    return lines;
}

}  // namespace plimsoll::kernels
