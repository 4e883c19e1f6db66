#include "plimsoll/model/detail/form_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/function.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

// Singular values this far apart are treated by singular value decomposition, whose cut-off (2^-52 max(n, 2))
// then decides. Above, the closed form is the more accurate one.
constexpr double dependent_columns = 1e-12;

numeric::Design two_columns(std::span<const double> column, std::size_t without) {
    std::vector<double> matrix;
    matrix.reserve(2 * column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
        if (i == without) continue;
        matrix.push_back(1.0);
        matrix.push_back(column[i]);
    }
    return {matrix, 2};
}

}  // namespace

Values::Values(std::span<const double> values)
    : y(values), centered(values.size()), mean(numeric::mean(values)) {
    PLIMSOLL_EXPECT(!values.empty());
    minimum = second_minimum = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < values.size(); ++i) {
        centered[i] = values[i] - mean;
        spread += centered[i] * centered[i];
        if (values[i] < minimum) {
            second_minimum = minimum;
            minimum = values[i];
            minimum_at = i;
        } else {
            second_minimum = std::min(second_minimum, values[i]);
        }
    }
}

std::unique_ptr<FormDesign> FormDesign::make(const Form& form, std::span<const double> x) {
    std::vector<double> column(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        column[i] = power_log(x[i], form.exponent, form.log_exponent);
        // Squares are summed below.
        if (!std::isfinite(column[i] * column[i])) return nullptr;
    }
    return std::unique_ptr<FormDesign>(new FormDesign(form, std::move(column)));
}

FormDesign::FormDesign(const Form& form, std::vector<double> column)
    : form_(form),
      column_(std::move(column)),
      centered_(column_),
      weights_(column_),
      inverse_slack_(column_) {
    const auto n = static_cast<double>(column_.size());
    mean_ = numeric::mean(column_);
    double spread = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < column_.size(); ++i) {
        centered_[i] = column_[i] - mean_;
        spread += centered_[i] * centered_[i];
        squares += column_[i] * column_[i];
    }
    // Of [1, t]: the product of the singular values is sqrt(n spread), the sum of their squares n + squares.
    bool dependent = !(std::sqrt(n * spread) > dependent_columns * (n + squares));
    for (std::size_t i = 0; i < column_.size() && !dependent; ++i) {
        weights_[i] = centered_[i] / spread;
        const double slack = 1.0 - 1.0 / n - centered_[i] * weights_[i];
        inverse_slack_[i] = 1.0 / slack;
        dependent = !(slack > dependent_columns);
    }
    if (!dependent) return;
    whole_ = std::make_unique<numeric::Design>(two_columns(column_, column_.size()));
    if (column_.size() < 2) return;
    for (std::size_t i = 0; i < column_.size(); ++i) folds_.push_back(two_columns(column_, i));
}

Line FormDesign::fit(const Values& values) const {
    if (whole_ != nullptr) {
        double solution[2] = {};
        whole_->solve(values.y, solution);
        return {.constant = solution[0], .slope = solution[1]};
    }
    double slope = 0.0;
    for (std::size_t i = 0; i < column_.size(); ++i) slope += weights_[i] * values.centered[i];
    return {.constant = values.mean - slope * mean_, .slope = slope};
}

}  // namespace plimsoll::model::detail
