#include "plimsoll/measure/machine_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll::measure {

std::optional<ProcessorTimes> parse_processor_times(std::string_view stat) {
    constexpr std::string_view all = "cpu ";
    if (!stat.starts_with(all)) return std::nullopt;
    // user nice system idle iowait irq softirq steal; guest times are part of user and nice.
    std::array<double, 8> ticks{};
    std::size_t count = 0;
    for (const std::string_view word : split(stat.substr(all.size(), stat.find('\n') - all.size()), ' ')) {
        if (word.empty()) continue;
        const auto number = parse_number(word);
        if (!number) return std::nullopt;
        if (count < ticks.size()) ticks[count++] = *number;
    }
    if (count < ticks.size()) return std::nullopt;
    const auto a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto& [user, nice, system, idle, waiting, irq, soft_irq, stolen] = ticks;
    const double busy = user + nice + system + irq + soft_irq;
    return ProcessorTimes{.busy = busy / a_second,
                          .stolen = stolen / a_second,
                          .total = (busy + idle + waiting + stolen) / a_second};
}

std::optional<ProcessorTimes> read_processor_times() {
    std::ifstream file("/proc/stat");
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    return parse_processor_times(line);
}

std::optional<Disturbance> disturbance(const ProcessorTimes& before, const ProcessorTimes& after,
                                       Seconds ours) {
    constexpr double shortest_span = 0.2;  // seconds of processors: twenty ticks
    const double total = after.total - before.total;
    if (total < shortest_span) return std::nullopt;
    const double others = after.busy - before.busy - ours.count();
    return Disturbance{.others = std::clamp(others / total, 0.0, 1.0),
                       .stolen = std::clamp((after.stolen - before.stolen) / total, 0.0, 1.0)};
}

std::string describe(const Disturbance& seen) {
    std::vector<std::string> parts;
    if (!Disturbance{.others = seen.others}.is_small())
        parts.push_back(fmt::format("other processes took {:.0f} % of the processors", 100.0 * seen.others));
    if (!Disturbance{.stolen = seen.stolen}.is_small())
        parts.push_back(
            fmt::format("other virtual machines took {:.0f} % of the processors", 100.0 * seen.stolen));
    return parts.empty() ? "nothing else ran" : join(parts, ", and ");
}

std::optional<double> load_average() {
    double minute = 0.0;
    return ::getloadavg(&minute, 1) == 1 ? std::optional(minute) : std::nullopt;
}

}  // namespace plimsoll::measure
