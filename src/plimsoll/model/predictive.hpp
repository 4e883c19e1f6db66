#pragma once

#include <span>
#include <vector>

#include "plimsoll/model/function.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model {

/// What a model says of a point: by its posterior, or by the function alone where that has no forms.
[[nodiscard]] Estimate predicted(const Posterior& posterior, const Function& function,
                                 std::span<const double> point, double coverage);

/// A model's predictive distribution at a point, as values that stand for slices of it. Slices are equally
/// wide on the normal scale, so that the tails have some of their own.
struct Predictive {
    struct Slice {
        double value;
        double weight;  ///< the weights sum to one
    };
    std::vector<Slice> slices;  ///< by rising value; one for a model of one form, none where it has no value

    /// Probability of a value of at most `bound`; not a number without slices.
    [[nodiscard]] double at_most(double bound) const;
};

/// The distribution at a point, [parameters], by the quantiles that `estimate` has; of a posterior without
/// forms the function's value alone.
[[nodiscard]] Predictive predictive(const Posterior& posterior, const Function& function,
                                    std::span<const double> point);

/// Ratio of two values that are known independently of one another.
struct Ratio {
    Estimate estimate;     ///< not a number where one of the values is not, or may be zero or negative
    double above_one = 0;  ///< probability that the numerator is larger; half of what is equal counts
};

/// `coverage` in (0, 1) is the probability of the range.
[[nodiscard]] Ratio ratio(const Predictive& numerator, const Predictive& denominator, double coverage);

}  // namespace plimsoll::model
