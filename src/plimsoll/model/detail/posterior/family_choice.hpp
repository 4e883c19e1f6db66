#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/axis_functions.hpp"
#include "plimsoll/model/detail/posterior/axis_lines.hpp"
#include "plimsoll/model/detail/posterior/form_family.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"

namespace plimsoll::model::detail {

/// Chooses the families of forms in question for series that are measured at the same points.
///
/// With one parameter these are all, whatever the values. With several, the lines of points along each
/// parameter rule functions of it out before they are combined.
class FamilyChoice {
  public:
    /// `points` is [values x parameters], row-major.
    /// `middle` is that of the only parameter's table, where it is given.
    FamilyChoice(std::span<const double> points, std::size_t parameters, std::optional<double> middle = {});

    FamilyChoice(const FamilyChoice&) = delete;  // slots and lines point to the tables
    FamilyChoice& operator=(const FamilyChoice&) = delete;

    /// `weights` are those of the values, [values]. Families stay until the next choice.
    const std::vector<FormFamily>& choose(const NoiseEvidence& noise, std::span<const double> weights);

    [[nodiscard]] const std::vector<FormFamily>& families() const { return families_; }
    /// Of each parameter.
    [[nodiscard]] std::span<const AxisTable> tables() const { return tables_; }
    /// How many parameters have more than one value; the others are in no form, which would say nothing.
    [[nodiscard]] std::size_t varying() const { return varying_.size(); }

  private:
    struct LineMisfits;
    [[nodiscard]] LineMisfits line_misfits(std::size_t axis, bool may_fall, const NoiseEvidence& noise,
                                           std::span<const double> weights);

    void add_starts(const LineMisfits& misfits, FunctionsInQuestion& kept) const;

    std::vector<AxisTable> tables_;
    std::vector<std::size_t> varying_;  ///< axes; the first one where none varies
    std::vector<AxisLines> lines_;
    std::vector<FormFamily> families_;
};

}  // namespace plimsoll::model::detail
