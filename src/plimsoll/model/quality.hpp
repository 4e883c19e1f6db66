#pragma once

#include <limits>
#include <span>
#include <vector>

#include "plimsoll/model/function.hpp"

namespace plimsoll::model {

/// How far a model is from the measurements. Not a number where it is not defined (one point, no spread).
struct Fitness {
    double rss =
        std::numeric_limits<double>::quiet_NaN();  ///< sum of squared residuals, in the metric's unit squared
    double smape = std::numeric_limits<double>::quiet_NaN();  ///< mean of 200 |f - y| / (|f| + |y|), per cent
    double r2 = std::numeric_limits<double>::quiet_NaN();     ///< 1 - rss / sum of squares about the mean
    double adjusted_r2 = std::numeric_limits<double>::quiet_NaN();  ///< r2 with (n-1)/(n-k-1) for k terms
};

/// Quality of a model, defined alike for every kind of model.
struct Quality {
    Fitness in_sample;  ///< the reported function at the points
    /// Each point predicted by the same form with its coefficients fitted to the other points. Segments stay
    /// as they are. Its r2 is the predicted R2 of Allen ("The relationship between variable selection and
    /// data augmentation and a method for prediction", Technometrics 16, 1974).
    Fitness leave_one_out;
};

/// Quality of a function at measured points: `points` is [values x parameters], row-major.
[[nodiscard]] Quality assess(const Function& function, std::span<const double> points,
                             std::span<const double> values);

/// As above for a function without segments whose terms, without coefficients, have the values `columns`,
/// [terms][values], at the points.
[[nodiscard]] Quality assess(const Function& function, std::span<const std::span<const double>> columns,
                             std::span<const double> values);

}  // namespace plimsoll::model
