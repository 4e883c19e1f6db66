#pragma once

#include <cstdint>
#include <vector>

namespace plimsoll::campaign {

/// Indexes `first` … `last - 1`.
struct IndexRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    [[nodiscard]] std::uint32_t size() const { return last - first; }
    bool operator==(const IndexRange&) const = default;
};

/// A set of indexes kept as ranges, so that a million untouched tasks take a few bytes.
class IndexSet {
  public:
    IndexSet() = default;
    explicit IndexSet(IndexRange range) { insert(range); }

    void insert(IndexRange range);
    void remove(IndexRange range);
    /// The ranges of this set within `range`.
    [[nodiscard]] std::vector<IndexRange> within(IndexRange range) const;
    [[nodiscard]] bool contains(std::uint32_t index) const;

    [[nodiscard]] bool empty() const { return ranges_.empty(); }
    [[nodiscard]] std::uint32_t front() const { return ranges_.front().first; }
    /// Takes the lowest index out. Constant time but for the end of a range.
    std::uint32_t take_front();
    [[nodiscard]] const std::vector<IndexRange>& ranges() const { return ranges_; }

  private:
    std::vector<IndexRange> ranges_;  ///< ascending, apart from each other, none empty
};

}  // namespace plimsoll::campaign
