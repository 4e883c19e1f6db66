#pragma once

#include <array>
#include <optional>
#include <span>

#include "plimsoll/core/options.hpp"

namespace plimsoll::measure {

/// What a point's repetitions are to tell.
enum class Center { median, mean };
[[nodiscard]] constexpr std::array<EnumName<Center>, 2> enum_names(Center) {
    return {{{Center::median, "median"}, {Center::mean, "mean"}}};
}

struct ConfidenceInterval {
    double low = 0.0;
    double high = 0.0;
    double center = 0.0;  ///< the median or mean itself

    /// Half of its width / |center|; infinite where the center is zero and the width is not.
    [[nodiscard]] double relative_half_width() const;
};

/// An interval that covers the median or the mean with 95 % for independent values.
///
/// Of the median between two of the sorted values, whatever their distribution, by the binomial distribution
/// of how many lie below it (Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2010,
/// theorem 2.1): six values at least. Of the mean by Student's distribution: three values at least, and
/// values that are near normal or many. Empty for fewer.
[[nodiscard]] std::optional<ConfidenceInterval> confidence_interval(std::span<const double> values,
                                                                    Center center);

}  // namespace plimsoll::measure
