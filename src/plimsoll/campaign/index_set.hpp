#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace plimsoll::campaign {

/// Indexes `first` … `last - 1`.
struct IndexRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    [[nodiscard]] std::uint32_t size() const { return last - first; }
    bool operator==(const IndexRange&) const = default;
};

/// A set of indexes kept as ranges, so that a million untouched tasks take a few bytes. A single range, which
/// is what nearly all sets are, stands in the set itself.
class IndexSet {
  public:
    IndexSet() = default;
    explicit IndexSet(IndexRange range) : only_(range) {}

    void insert(IndexRange range);
    void remove(IndexRange range);
    /// The ranges of this set within `range`.
    [[nodiscard]] std::vector<IndexRange> within(IndexRange range) const;
    [[nodiscard]] bool contains(std::uint32_t index) const;

    [[nodiscard]] bool empty() const { return ranges().empty(); }
    [[nodiscard]] std::uint32_t front() const { return ranges().front().first; }
    /// Takes the lowest index out. Constant time but for the end of a range.
    std::uint32_t take_front();
    /// Ascending, apart from each other, none empty.
    [[nodiscard]] std::span<const IndexRange> ranges() const {
        if (several_) return *several_;
        return {&only_, only_.size() > 0 ? 1U : 0U};
    }

  private:
    void keep(std::vector<IndexRange>& ranges);

    IndexRange only_;  ///< empty where there are `several_`
    std::unique_ptr<std::vector<IndexRange>> several_;
};

}  // namespace plimsoll::campaign
