#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll::model {

/// The mixtures of a few neighbouring points, side by side, so that one instruction serves several of them.
struct MixtureBatch {
    static constexpr std::size_t width = 32;  ///< points

    std::size_t points = 0;  ///< that are in use
    std::size_t parts = 0;
    // [parts x width], row-major; a part that has no value at a point has the weight 0 there.
    std::vector<double> weight;
    std::vector<double> mean;
    std::vector<double> deviation;
    std::vector<double> inverse;        ///< 1 / deviation
    std::array<double, width> total{};  ///< sum of the weights, [points]

    void resize(std::size_t parts_of_each);
};

/// Where a quantile was found last, as a place in one of the parts: the next one is looked for there.
struct QuantileHint {
    std::size_t part = 0;
    double deviations = 0.0;  ///< from the part's mean, at the last point of a batch
    double slope = 0.0;       ///< of these, from one point to the next
};

/// The values below which a share of each mixture lies, whose normal quantile is z, into `values`, [points];
/// not a number where a mixture has no parts. Agrees with `quantile` to 8 digits, or 8 digits of the
/// narrowest part. The hint is read and written.
void quantiles(const MixtureBatch& batch, double share, double z, QuantileHint& hint,
               std::span<double> values);

}  // namespace plimsoll::model
