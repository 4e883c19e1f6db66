#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "plimsoll/model/detail/candidates.hpp"
#include "plimsoll/numeric/least_squares.hpp"

namespace plimsoll::model::detail {

/// Values of one metric at the points of a design, with what every form needs of them.
struct Values {
    explicit Values(std::span<const double> values);

    std::span<const double> y;
    std::vector<double> centered;  ///< y - mean
    double mean = 0.0;
    double minimum = 0.0;
    double second_minimum = 0.0;  ///< smallest of the others, for the fold without the minimum
    std::size_t minimum_at = 0;
    double spread = 0.0;  ///< sum of squares about the mean
};

/// c0 + c1 t(x).
struct Line {
    double constant = 0.0;
    double slope = 0.0;
};

/// One form c0 + c1 t(x) at fixed points, prepared for any number of value sets.
///
/// Fitting and leaving out each point in turn take a few operations per point: with the leverage h of a
/// point, its leave-one-out residual is the residual divided by 1 - h, and the coefficients without it follow
/// from the same number. Where the columns 1 and t are dependent to rounding, every fold is solved by
/// singular values instead, as Extra-P does throughout.
class FormDesign {
  public:
    /// Empty where t is not finite at some point.
    static std::unique_ptr<FormDesign> make(const Form& form, std::span<const double> x);

    [[nodiscard]] const Form& form() const { return form_; }
    /// t(x), [points].
    [[nodiscard]] std::span<const double> column() const { return column_; }

    [[nodiscard]] Line fit(const Values& values) const;

    /// Calls `visit(i, prediction)` for each point i, predicted by a fit to the others, from which a constant
    /// that is negligible beside their smallest value was taken away (as Extra-P does). A single point has no
    /// prediction: not a number.
    template <class Visitor>
    void leave_each_out(const Values& values, const Line& line, Visitor&& visit) const {
        const auto n = static_cast<double>(column_.size());
        if (whole_ != nullptr) {
            leave_each_out_by_solving(values, visit);
            return;
        }
        for (std::size_t i = 0; i < column_.size(); ++i) {
            const double residual = values.centered[i] - line.slope * centered_[i];
            const double missed = residual * inverse_slack_[i];
            const double slope = line.slope - weights_[i] * missed;
            const double constant = values.mean - missed / n - slope * mean_;
            const double smallest = i == values.minimum_at ? values.second_minimum : values.minimum;
            const double prediction =
                is_negligible(constant, smallest) ? slope * column_[i] : values.y[i] - missed;
            visit(i, prediction);
        }
    }

    /// |c0| below 0.05 % of the smallest value (of 1 where that is zero).
    static bool is_negligible(double constant, double smallest, double share = 0.0005) {
        const double scaled = smallest == 0.0 ? constant : constant / smallest;
        return scaled < share && scaled > -share;
    }

  private:
    FormDesign(const Form& form, std::vector<double> column);

    template <class Visitor>
    void leave_each_out_by_solving(const Values& values, Visitor&& visit) const {
        if (folds_.empty()) {
            visit(std::size_t{0}, std::numeric_limits<double>::quiet_NaN());
            return;
        }
        std::vector<double> others(column_.size() - 1);
        for (std::size_t i = 0; i < column_.size(); ++i) {
            for (std::size_t k = 0; k < others.size(); ++k) others[k] = values.y[k + (k < i ? 0 : 1)];
            double solution[2] = {};
            folds_[i].solve(others, solution);
            const double smallest = i == values.minimum_at ? values.second_minimum : values.minimum;
            const double constant = is_negligible(solution[0], smallest) ? 0.0 : solution[0];
            visit(i, constant + solution[1] * column_[i]);
        }
    }

    Form form_;
    std::vector<double> column_;
    std::vector<double> centered_;       ///< t - mean
    std::vector<double> weights_;        ///< (t - mean) / sum of squares: the slope is their product with y
    std::vector<double> inverse_slack_;  ///< 1 / (1 - leverage)
    double mean_ = 0.0;
    std::unique_ptr<numeric::Design> whole_;  ///< for dependent columns only
    std::vector<numeric::Design> folds_;      ///< likewise; empty for a single point
};

}  // namespace plimsoll::model::detail
