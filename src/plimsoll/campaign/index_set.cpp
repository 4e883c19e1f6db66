#include "plimsoll/campaign/index_set.hpp"

#include <algorithm>

namespace plimsoll::campaign {

void IndexSet::insert(IndexRange range) {
    if (range.first >= range.last) return;
    // All that touch the new range become one with it.
    const auto begin =
        std::lower_bound(ranges_.begin(), ranges_.end(), range.first,
                         [](const IndexRange& r, std::uint32_t index) { return r.last < index; });
    auto end = begin;
    for (; end != ranges_.end() && end->first <= range.last; ++end) {
        range.first = std::min(range.first, end->first);
        range.last = std::max(range.last, end->last);
    }
    ranges_.insert(ranges_.erase(begin, end), range);
}

void IndexSet::remove(IndexRange range) {
    if (range.first >= range.last) return;
    const auto begin =
        std::lower_bound(ranges_.begin(), ranges_.end(), range.first,
                         [](const IndexRange& r, std::uint32_t index) { return r.last <= index; });
    auto end = begin;
    std::vector<IndexRange> kept;
    for (; end != ranges_.end() && end->first < range.last; ++end) {
        if (end->first < range.first) kept.push_back({end->first, range.first});
        if (end->last > range.last) kept.push_back({range.last, end->last});
    }
    const auto place = ranges_.erase(begin, end);
    ranges_.insert(place, kept.begin(), kept.end());
}

std::vector<IndexRange> IndexSet::within(IndexRange range) const {
    std::vector<IndexRange> found;
    for (const IndexRange& own : ranges_) {
        const IndexRange both{std::max(own.first, range.first), std::min(own.last, range.last)};
        if (both.first < both.last) found.push_back(both);
    }
    return found;
}

bool IndexSet::contains(std::uint32_t index) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [index](const IndexRange& r) { return r.first <= index && index < r.last; });
}

std::uint32_t IndexSet::take_front() {
    const std::uint32_t index = ranges_.front().first++;
    if (ranges_.front().size() == 0) ranges_.erase(ranges_.begin());
    return index;
}

}  // namespace plimsoll::campaign
