#include "plimsoll/campaign/index_set.hpp"

#include <algorithm>

namespace plimsoll::campaign {

/// Takes over ranges that have changed.
void IndexSet::keep(std::vector<IndexRange>& ranges) {
    only_ = {};
    if (ranges.size() > 1) {
        if (!several_) several_ = std::make_unique<std::vector<IndexRange>>();
        several_->swap(ranges);
        return;
    }
    if (!ranges.empty()) only_ = ranges.front();
    several_.reset();
}

void IndexSet::insert(IndexRange range) {
    if (range.first >= range.last) return;
    if (empty()) {
        only_ = range;
        return;
    }
    std::vector<IndexRange> ranges = several_ ? std::move(*several_) : std::vector<IndexRange>{only_};
    // All that touch the new range become one with it.
    const auto begin =
        std::lower_bound(ranges.begin(), ranges.end(), range.first,
                         [](const IndexRange& r, std::uint32_t index) { return r.last < index; });
    auto end = begin;
    for (; end != ranges.end() && end->first <= range.last; ++end) {
        range.first = std::min(range.first, end->first);
        range.last = std::max(range.last, end->last);
    }
    ranges.insert(ranges.erase(begin, end), range);
    keep(ranges);
}

void IndexSet::remove(IndexRange range) {
    if (range.first >= range.last || empty()) return;
    std::vector<IndexRange> ranges = several_ ? std::move(*several_) : std::vector<IndexRange>{only_};
    const auto begin =
        std::lower_bound(ranges.begin(), ranges.end(), range.first,
                         [](const IndexRange& r, std::uint32_t index) { return r.last <= index; });
    auto end = begin;
    std::vector<IndexRange> kept;
    for (; end != ranges.end() && end->first < range.last; ++end) {
        if (end->first < range.first) kept.push_back({end->first, range.first});
        if (end->last > range.last) kept.push_back({range.last, end->last});
    }
    const auto place = ranges.erase(begin, end);
    ranges.insert(place, kept.begin(), kept.end());
    keep(ranges);
}

std::vector<IndexRange> IndexSet::within(IndexRange range) const {
    std::vector<IndexRange> found;
    for (const IndexRange& own : ranges()) {
        const IndexRange both{std::max(own.first, range.first), std::min(own.last, range.last)};
        if (both.first < both.last) found.push_back(both);
    }
    return found;
}

bool IndexSet::contains(std::uint32_t index) const {
    return std::ranges::any_of(ranges(),
                               [index](const IndexRange& r) { return r.first <= index && index < r.last; });
}

std::uint32_t IndexSet::take_front() {
    if (!several_) return only_.first++;
    std::vector<IndexRange>& ranges = *several_;
    const std::uint32_t index = ranges.front().first++;
    if (ranges.front().size() == 0) {
        ranges.erase(ranges.begin());
        if (ranges.size() == 1) keep(ranges);
    }
    return index;
}

}  // namespace plimsoll::campaign
