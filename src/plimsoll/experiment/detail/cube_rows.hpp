#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/experiment/detail/cube_anchor.hpp"
#include "plimsoll/experiment/detail/cube_value_type.hpp"

namespace plimsoll::experiment::detail {

/// The two files of one metric.
struct CubeMetricFiles {
    std::string_view index;
    std::string data;
};

/// The values of one metric: a row with a value of each location for those nodes of the call tree that have
/// one.
class CubeRows {
  public:
    /// Throws an input error, for the profile `file`, where index and data do not fit each other and the
    /// anchor, which must outlive the rows.
    CubeRows(const CubeAnchor& anchor, const CubeMetric& metric, const CubeValueType& type,
             CubeMetricFiles files, const std::string& file);

    [[nodiscard]] bool has(std::uint32_t node) const { return row_of_[node] != no_row; }

    /// The values of a node alone, without those of the nodes that it calls. The node must have a row.
    void own_values(std::uint32_t node, std::span<double> values);

  private:
    static constexpr std::uint32_t no_row = ~std::uint32_t{0};

    void read_index(std::string_view index);
    void read_plain(std::string data);
    void read_compressed(std::string_view data);
    [[nodiscard]] CubeRow row(std::uint32_t node) const {
        return rows_.data() + begin_ + row_of_[node] * row_size_;
    }
    [[noreturn]] void fail(const char* suffix, const std::string& what) const;

    const CubeAnchor* anchor_;
    const CubeMetric* metric_;
    const CubeValueType* type_;
    const std::string* file_;
    std::size_t row_size_;  ///< bytes
    std::size_t row_count_ = 0;
    ByteOrder order_ = ByteOrder::native;
    std::vector<std::uint32_t> row_of_;  ///< of each node of the call tree
    std::string rows_;                   ///< as they are stored, behind `begin_` bytes
    std::size_t begin_ = 0;
    std::vector<CubeRow> below_;
};

}  // namespace plimsoll::experiment::detail
