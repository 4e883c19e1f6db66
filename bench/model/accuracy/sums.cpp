#include "sums.hpp"

#include <algorithm>

namespace plimsoll::model::accuracy {

Sums sums_of(const Cell& cell, const std::vector<std::vector<double>>& runs) {
    const bool is_walk = cell.law.ends_with("compounding");
    Sums sums;
    for (const std::vector<double>& all : runs) {
        const std::vector<double> used(all.begin(), is_walk ? all.begin() + 1 : all.end());
        sums.repetitions = static_cast<double>(used.size());
        double first = 0.0;
        double second = 0.0;
        for (const double value : used) {
            first += value;
            second += value * value;
        }
        sums.first.push_back(first);
        sums.second.push_back(second);
        sums.smallest.push_back(*std::min_element(used.begin(), used.end()));
        sums.largest.push_back(*std::max_element(used.begin(), used.end()));
    }
    return sums;
}

}  // namespace plimsoll::model::accuracy
