#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/detail/posterior/posterior_search.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// How far predictions beyond the range go wrong where several parameters are varied and no form follows the
/// values within their noise: as `RollingOrigin`, the values at the largest one of each parameter are
/// predicted from those at smaller ones. For series that are measured at the same points in the same order.
/// One object serves one thread.
class AxisOrigins {
  public:
    /// `points` is [values x parameters], row-major.
    AxisOrigins(std::span<const double> points, std::size_t parameters);

    /// Fills `discrepancy`, `largest` and `step` of a posterior whose average at the points is `fitted`,
    /// where the values lie further from it than their noise explains; else, or where the noise is not known
    /// or a value is not positive, nothing. A parameter counts that has four values or more, and whose
    /// largest one is predicted wrongly; the step of others is 1.
    void examine(const NoiseEvidence& noise, Positive positive, std::span<const double> fitted,
                 Posterior& posterior);

  private:
    struct Axis {
        std::vector<std::size_t> seen;       ///< positions of the points below the largest value
        std::vector<std::size_t> predicted;  ///< of those at it
        double largest = 0.0;
        double step = 1.0;                        ///< from the value before it, as a factor
        std::unique_ptr<PosteriorSearch> search;  ///< at the points seen; made when it is wanted
    };

    /// Median square of what predictions of the largest values are off by, beyond what they say of
    /// themselves.
    [[nodiscard]] double excess(Axis& axis, const NoiseEvidence& noise, Positive positive);

    std::vector<double> points_;
    std::size_t parameters_;
    std::vector<Axis> axes_;
};

}  // namespace plimsoll::model::detail
