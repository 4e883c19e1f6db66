#include "plimsoll/profile/part.hpp"

#include <algorithm>

namespace plimsoll::profile {

std::size_t Part::Hash::operator()(const Key& key) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // Knuth's multiplicative hashing
    return static_cast<std::size_t>(((key.series * odd) ^ key.location) * odd >> 16U);
}

void Part::add(experiment::RegionId region, experiment::MetricId metric, double value, std::uint32_t location,
               Joining joining) {
    const std::uint64_t series =
        (std::uint64_t{experiment::index(region)} << 32U) | experiment::index(metric);
    const auto [found, is_new] =
        places_.try_emplace(Key{.series = series, .location = location}, values_.size());
    if (is_new) {
        values_.push_back({.region = region, .metric = metric, .location = location, .value = value});
        return;
    }
    double& known = values_[found->second].value;
    switch (joining) {
        case Joining::sum: known += value; break;
        case Joining::smallest: known = std::min(known, value); break;
        case Joining::largest: known = std::max(known, value); break;
        case Joining::last: known = value; break;
    }
}

}  // namespace plimsoll::profile
