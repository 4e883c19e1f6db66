#pragma once

#include <span>

namespace plimsoll::model {

/// Least deviation of a part by its mean: rounding of exact data.
inline constexpr double smallest_relative_deviation = 1e-9 / 1.64;

/// One form's share of a predictive distribution, taken as normal.
struct Part {
    double weight;
    double mean;
    double deviation;
};

/// The value below which a share of a mixture lies, whose normal quantile is z; the weights sum to one. By
/// Halley's steps within limits that close in. Right to ten digits, however far apart the parts lie.
[[nodiscard]] double quantile(std::span<const Part> parts, double share, double z);

}  // namespace plimsoll::model
