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

    /// Probability of a value of at most `bound`, in [0, 1]; not a number without slices.
    [[nodiscard]] double at_most(double bound) const;

    /// Value below which a share of the probability lies; the reverse of `at_most`. There are slices.
    [[nodiscard]] double quantile(double share) const;
};

/// The distribution at a point, [parameters], by the quantiles that `estimate` has; of a posterior without
/// forms the function's value alone.
[[nodiscard]] Predictive predictive(const Posterior& posterior, const Function& function,
                                    std::span<const double> point);

/// The distribution of a sum of values that are known independently of one another. They are added in pairs,
/// and the pairs again: each sum is cut into slices anew, which loses half a per cent of its variance.
/// Without slices where a value has none; the sum of no values is 0.
[[nodiscard]] Predictive sum(std::vector<Predictive> values);

/// Ratio of two values that are known independently of one another.
struct Ratio {
    Estimate estimate;      ///< not a number where one of the values is not, or may be zero or negative
    double above_one = 0;   ///< probability that the numerator is larger; half of what is equal counts
    Predictive predictive;  ///< without slices where the estimate is not a number
};

/// `coverage` in (0, 1) is the probability of the range.
[[nodiscard]] Ratio ratio(const Predictive& numerator, const Predictive& denominator, double coverage);

}  // namespace plimsoll::model
