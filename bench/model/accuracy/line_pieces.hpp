#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sums.hpp"
#include "truth.hpp"

namespace plimsoll::model::accuracy {

/// f(x) = c0 + c1 t(x) is written as L g(x), g = (1 - w) + w t(x) / t(reference): L is the value at the
/// reference, w the term's share of it, so that 0 <= w <= 1. With z = 1 / L the likelihood of all runs at one
/// w depends on z through few sums. dc0 dc1 = z^-3 / t(reference) dz dw.
constexpr double reference = 16.0;
constexpr double negligible = 25.0;  ///< of the logarithm of a density below its maximum

/// A class of functions at the measured points.
struct Form {
    double exponent = 0.0;
    double logarithms = 0.0;
    double at_reference = 1.0;
    double log_at_reference = 0.0;
    std::vector<double> ratio;  ///< t(x) / t(reference) of each point

    [[nodiscard]] double ratio_at(double x) const {
        return std::pow(x, exponent) * std::pow(std::log2(x), logarithms) / at_reference;
    }
    /// Smallest z where both coefficients are within their limits.
    [[nodiscard]] double smallest_z(double w) const {
        return std::max(1.0 - w, w / at_reference) / largest_coefficient;
    }
};

/// A piece of the posterior: a form with its w, and a range of ln(1/z).
struct Piece {
    std::size_t form = 0;
    double w = 0.0;
    double low = 0.0;
    double high = 0.0;
    double log_mass = 0.0;
};

/// The posterior in pieces, for normal runs with a known relative deviation.
std::vector<Piece> gaussian_pieces(const std::vector<Form>& forms, const Sums& sums, double deviation);

/// For runs that lie anywhere within 1 +- half of the value, equally likely.
std::vector<Piece> uniform_pieces(const std::vector<Form>& forms, const Sums& sums, double half);

}  // namespace plimsoll::model::accuracy
