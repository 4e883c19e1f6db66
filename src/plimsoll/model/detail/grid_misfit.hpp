#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/grid.hpp"
#include "plimsoll/model/misfit.hpp"

namespace plimsoll::model {

/// A misfit made ready for a grid: its covariance is factored once, and correlations are taken once for each
/// value of a parameter.
class GridMisfit {
  public:
    /// Points are taken along one axis of the grid.
    GridMisfit(const Misfit& misfit, const Grid& grid, std::size_t axis);

    /// The corrections that `Misfit::at` has at points `first`, `first + 1` ... along the axis, with the
    /// other places given: means and variances, [points]. `across` is memory to work with.
    void find(std::size_t first, std::size_t points, std::span<const std::size_t> places,
              std::vector<double>& across, std::span<double> mean, std::span<double> variance) const;

  private:
    const Misfit* misfit_;
    const Grid* grid_;
    std::size_t axis_;
    std::vector<double> lower_;  ///< Cholesky factor, [values x values]; empty where there is none
    std::vector<double> white_;  ///< residuals, divided by it
    /// Of each parameter: correlations of its values with the points of the misfit, [points of the misfit x
    /// values].
    std::vector<std::vector<double>> correlations_;
};

}  // namespace plimsoll::model
