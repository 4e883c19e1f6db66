#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll::model {

/// Most points that a misfit is made of: each prediction factors their covariance.
inline constexpr std::size_t most_misfit_points = 250;

/// What values have in common beyond their model: neighbours lie on the same side of it. A Gaussian process
/// of the logarithms of value over model, with a Matern-3/2 kernel in each parameter's logarithm, multiplied.
/// It pulls predictions towards what was seen nearby, and says how far the model may be off elsewhere.
///
/// Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 and 4.
struct Misfit {
    std::vector<double> origin;     ///< smallest value of each parameter; logarithms count from there
    std::vector<double> range;      ///< logarithm of the largest over the smallest value of each parameter
    std::vector<double> length;     ///< of each parameter, as a share of its range
    double variance = 0.0;          ///< of the process
    double noise = 0.0;             ///< variance of a value's own logarithm
    std::vector<double> points;     ///< [values x parameters], row-major
    std::vector<double> residuals;  ///< ln(value / model), [values]

    [[nodiscard]] bool empty() const { return residuals.empty(); }

    struct Correction {
        double mean = 0.0;      ///< of ln(true value / model)
        double variance = 0.0;  ///< of the same
    };
    /// At a point, [parameters]; nothing where a parameter is not positive.
    [[nodiscard]] Correction at(std::span<const double> point) const;

    /// Correlation of two values that differ in one parameter.
    [[nodiscard]] double correlation(std::size_t parameter, double a, double b) const;
    /// Cholesky factor of the covariance of the residuals, lower triangle, [values x values]; empty where it
    /// is not positive.
    [[nodiscard]] std::optional<std::vector<double>> factored() const;
};

struct FoundMisfit {
    Misfit misfit;
    double log_gain = 0.0;  ///< ln of its evidence over that of noise as large
};

/// The misfit of values that lie further from their model than their noise explains; empty where they do not,
/// where there are fewer than 9 points or more than `most_misfit_points`, or where a value, its model or a
/// parameter is not positive. `points` is [values x parameters], row-major; `noise` the relative variance of
/// a value, not a number if unknown. The kernel is the most probable one of a few.
[[nodiscard]] FoundMisfit find_misfit(std::span<const double> points, std::size_t parameters,
                                      std::span<const double> values, std::span<const double> model,
                                      double noise);

}  // namespace plimsoll::model
