#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/profile/detail/caliper_metric.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/part.hpp"

namespace plimsoll::profile::detail {

/// The columns of one file of Caliper's, and what is in them until all columns are known: which of them is
/// the time depends on the others.
class CaliperColumns {
  public:
    explicit CaliperColumns(Sink& sink) : sink_(&sink) {}

    /// Numbers columns in the order of these calls, from 0.
    std::uint32_t declare(std::string_view name, std::string_view unit, bool is_hidden);
    /// For times whose unit the file does not tell.
    void forget_unit(std::uint32_t column);
    [[nodiscard]] bool is_wanted(std::uint32_t column) const { return columns_[column].is_wanted; }
    void leave_out(std::uint32_t column) { columns_[column].is_wanted = false; }

    void add(std::uint32_t column, experiment::RegionId region, std::uint32_t location, double value) {
        values_.add(region, experiment::MetricId{column}, value, location, columns_[column].metric.joining);
    }
    [[nodiscard]] bool empty() const { return values_.values().empty(); }

    /// Chooses the metrics and puts their values into a part.
    void deliver(Part& part);

  private:
    struct Column {
        CaliperMetric metric;
        std::string raw_name;
        bool is_wanted = true;
        experiment::MetricId id{};
    };

    Sink* sink_;
    std::vector<Column> columns_;
    Part values_;  ///< by column in place of the metric
};

}  // namespace plimsoll::profile::detail
