#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plimsoll/model/detail/basic_search.hpp"

namespace plimsoll::model::detail {

/// One model, or two and where they meet.
struct SegmentedModel {
    SingleModel first;  ///< of all points where there is no second
    std::optional<SingleModel> second;
    std::size_t first_count = 0;   ///< points of the first segment, in ascending order
    std::size_t second_begin = 0;  ///< position of the second segment's first point
};

/// Extra-P's segmented modeler: windows of five points tell where the behaviour changes.
class SegmentedSearch {
  public:
    /// Values below which there is nothing to compare: one function then.
    static constexpr std::size_t fewest_values = 5;

    SegmentedSearch(std::span<const double> x, const FitOptions& options, std::span<const Form> forms);

    /// `values` are in the order of x. One search object serves one thread.
    [[nodiscard]] SegmentedModel fit(const Values& values);

    /// x in ascending order.
    [[nodiscard]] std::span<const double> ascending() const { return x_; }
    /// Position in the given order of each ascending point.
    [[nodiscard]] std::span<const std::size_t> order() const { return order_; }
    /// Whether forms are left out somewhere since x is too small for logarithms.
    [[nodiscard]] bool dropped_logarithms() const;

  private:
    const BasicSearch& search(std::size_t begin, std::size_t end);
    SingleModel fit_range(std::span<const double> y, std::size_t begin, std::size_t end);

    std::vector<std::size_t> order_;
    std::vector<double> x_;
    const FitOptions* options_;
    std::vector<Form> forms_;
    std::map<std::pair<std::size_t, std::size_t>, BasicSearch> searches_;
};

}  // namespace plimsoll::model::detail
