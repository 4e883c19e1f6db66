#include "plimsoll/numeric/rounding.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace plimsoll::numeric {

namespace {

constexpr int most_power = 320;

/// 10^i; the powers up to 22 are exact.
double power_of_ten(int i) {
    static const std::array<double, most_power + 1> powers = [] {
        std::array<double, most_power + 1> all{};
        for (int p = 0; p <= most_power; ++p) all[static_cast<std::size_t>(p)] = std::pow(10.0, p);
        return all;
    }();
    return i <= most_power ? powers[static_cast<std::size_t>(i)] : std::pow(10.0, i);
}

/// The largest k with 10^k at most a normal positive number; it may be one less where that is one, too,
/// within rounding.
int decimal_exponent(double size) {
    const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52U) - 1023;
    // 2^exponent <= size < 2^(exponent + 1), and log10(2) = 0.30103
    const int least = static_cast<int>(std::floor(exponent * 0.30102999566398120));
    const int next = least + 1;
    const bool reaches_next = next >= 0 ? size >= power_of_ten(next) : size * power_of_ten(-next) >= 1.0;
    return reaches_next ? next : least;
}

}  // namespace

double round_to_digits(double value, int digits) {
    const double size = std::abs(value);
    if (!(size > 1e-280) || !(size < 1e280)) return value;
    const int shift = digits - 1 - decimal_exponent(size);
    // Powers of ten up to 22 are exact, so dividing by one rounds once; larger shifts take two steps.
    if (shift >= 0) {
        const double scale = power_of_ten(shift);
        return std::round(value * scale) / scale;
    }
    const double scale = power_of_ten(-shift);
    return std::round(value / scale) * scale;
}

}  // namespace plimsoll::numeric
