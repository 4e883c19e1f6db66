#include "plimsoll/numeric/rounding.hpp"

#include <cmath>

namespace plimsoll::numeric {

double round_to_digits(double value, int digits) {
    const double size = std::abs(value);
    if (!(size > 1e-280) || !(size < 1e280)) return value;
    const int shift = digits - 1 - static_cast<int>(std::floor(std::log10(size)));
    // Powers of ten up to 22 are exact, so dividing by one rounds once; larger shifts take two steps.
    if (shift >= 0) {
        const double scale = std::pow(10.0, shift);
        return std::round(value * scale) / scale;
    }
    const double scale = std::pow(10.0, -shift);
    return std::round(value / scale) * scale;
}

}  // namespace plimsoll::numeric
