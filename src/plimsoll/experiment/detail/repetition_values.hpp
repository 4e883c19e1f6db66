#pragma once

#include <cstdint>
#include <vector>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::experiment::detail {

/// The values of one measurement as a file lists them: one for each repetition, or, in lists within the list,
/// those of the processes and threads of each. Kept by a reader from one measurement to the next.
class RepetitionValues {
  public:
    void clear();
    [[nodiscard]] bool empty() const { return values_.empty(); }

    /// A repetition of one value.
    void add(double value) {
        values_.push_back(value);
        if (!locations_.empty()) locations_.push_back(1);
    }

    /// A repetition whose values follow by `add_location`.
    void begin_repetition();
    void add_location(double value);

    /// Hands all repetitions to a builder.
    void add_to(ExperimentBuilder& builder, SeriesId series, PointId point, const Place& place) const;

  private:
    std::vector<double> values_;            // repetition by repetition
    std::vector<std::uint32_t> locations_;  // number of values of each repetition; empty while each has one
};

}  // namespace plimsoll::experiment::detail
