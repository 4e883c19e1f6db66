#include "plimsoll/measure/energy.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace plimsoll::measure {

namespace {

std::optional<std::uint64_t> number_in(const std::string& file) {
    std::uint64_t number = 0;
    return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

std::string word_in(const std::string& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

}  // namespace

EnergyMeter::EnergyMeter(const std::string& folder) {
    std::error_code failure;
    std::filesystem::directory_iterator entry(folder, failure);
    for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
        // "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it; "psys" is all of the machine, packages
        // included.
        const std::string name = entry->path().filename().string();
        if (std::ranges::count(name, ':') != 1 || name.starts_with("intel-rapl-mmio")) continue;
        const std::string zone = entry->path().string();
        if (!word_in(zone + "/name").starts_with("package")) continue;
        const auto used = number_in(zone + "/energy_uj");
        const auto range = number_in(zone + "/max_energy_range_uj");
        if (used && range) counters_.push_back({.file = zone + "/energy_uj", .range = *range, .last = *used});
    }
}

void EnergyMeter::start() {
    sample();
    used_ = 0;
}

void EnergyMeter::sample() {
    for (Counter& counter : counters_) {
        const std::uint64_t now = number_in(counter.file).value_or(counter.last);
        used_ += now >= counter.last ? now - counter.last : now + counter.range - counter.last;
        counter.last = now;
    }
}

}  // namespace plimsoll::measure
