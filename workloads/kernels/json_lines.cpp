#include "kernels/json_lines.hpp"

#include <fmt/format.h>

#include "plimsoll/core/text.hpp"

namespace plimsoll::kernels {

std::string header_line(const workloads::Machine& machine, std::uint64_t seed) {
    return fmt::format(R"({{"schema":"plimsoll.experiment/1","parameters":["n","threads"],)"
                       R"("metadata":{{"program":"kernels",{},"seed":{}}}}})"
                       "\n",
                       workloads::json_members(machine), seed);
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
