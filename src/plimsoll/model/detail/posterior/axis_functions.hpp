#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plimsoll/numeric/rational.hpp"

namespace plimsoll::model::detail {

using numeric::Rational;

/// x^exponent * log2(x)^log_exponent of one parameter x: what the columns of forms are products of.
struct AxisFunction {
    Rational exponent;
    Rational log_exponent;
};

/// Position of an axis function in the list of all.
using FunctionId = std::uint16_t;

/// All axis functions: 59 rising ones (the 20 exponents of Extra-P, each with 0, 1 and 2 logarithms), then
/// the falling ones of strong scaling.
[[nodiscard]] std::span<const AxisFunction> axis_functions();

[[nodiscard]] std::span<const FunctionId> rising_functions();
[[nodiscard]] std::span<const FunctionId> falling_functions();
/// The rising ones that occur most in practice, the most frequent first: for sums of terms in one parameter,
/// and for parameters along which there are no lines of points.
[[nodiscard]] std::span<const FunctionId> common_functions();

/// Values of the axis functions at the coordinates of one parameter.
class AxisTable {
  public:
    /// Logarithms are defined where no coordinate is below 1, falling functions where all are above 0, and
    /// nothing where one is negative.
    /// `middle` is that of a table of more coordinates, of which these are some.
    AxisTable(std::span<const double> coordinates, std::size_t axis, std::optional<double> middle = {});

    [[nodiscard]] std::size_t axis() const { return axis_; }
    /// Whether the function is defined, and not the same, at all coordinates.
    [[nodiscard]] bool is_usable(FunctionId f) const { return !columns_[f].empty(); }
    /// Values, [coordinates], divided by `scale`, so that the largest is 1.
    [[nodiscard]] std::span<const double> column(FunctionId f) const { return columns_[f]; }
    [[nodiscard]] double scale(FunctionId f) const { return scales_[f]; }
    /// Whether logarithms are left out, because a coordinate is below 1.
    [[nodiscard]] bool dropped_logarithms() const { return dropped_logarithms_; }
    [[nodiscard]] double smallest() const { return smallest_; }
    /// Geometric mean of the distinct coordinates; 1 where they are not positive.
    [[nodiscard]] double middle() const { return middle_; }

  private:
    std::size_t axis_;
    std::vector<std::vector<double>> columns_;
    std::vector<double> scales_;
    bool dropped_logarithms_ = false;
    double smallest_ = 0.0;
    double middle_ = 1.0;
};

}  // namespace plimsoll::model::detail
