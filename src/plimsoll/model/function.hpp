#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "plimsoll/model/law.hpp"
#include "plimsoll/numeric/rational.hpp"

namespace plimsoll::model {

using numeric::Rational;

struct Segment;

/// x^exponent * log2(x)^log_exponent * law(x) of one parameter x, or a piecewise function of it.
struct Factor {
    std::size_t parameter = 0;  ///< position in the experiment's list
    Rational exponent;
    Rational log_exponent;
    std::vector<Segment>
        segments;  ///< if not empty, the factor is this function and the exponents do not count
    Law law{};
};

/// coefficient * product of factors.
struct Term {
    double coefficient = 0.0;
    std::vector<Factor> factors;
};

/// What a metric is modelled as: constant + sum of terms (performance model normal form, PMNF: Calotoiu et
/// al., "Using automated performance modeling to find scalability bugs in complex codes", SC13), or segments
/// of such.
struct Function {
    double constant = 0.0;
    std::vector<Term> terms;
    std::size_t segment_parameter = 0;
    std::vector<Segment> segments;  ///< if not empty, the function is piecewise along `segment_parameter`

    /// Value at a point, [parameters]. Not a number where the function is not defined.
    [[nodiscard]] double operator()(std::span<const double> point) const;
};

/// A function with the range in which it counts; where two ranges meet, the first counts.
struct Segment {
    double from = -std::numeric_limits<double>::infinity();
    double to = std::numeric_limits<double>::infinity();
    Function function;
};

/// x^exponent * log2(x)^log_exponent.
[[nodiscard]] double power_log(double x, const Rational& exponent, const Rational& log_exponent);

/// Value of the factors of a term, without its coefficient, at a point.
[[nodiscard]] double factor_product(std::span<const Factor> factors, std::span<const double> point);

/// Whether one of the factors has a law.
[[nodiscard]] bool has_law(std::span<const Factor> factors);

/// ln of the product of factors without segments at a point, which need not be a number itself.
[[nodiscard]] double log_factor_product(std::span<const Factor> factors, std::span<const double> point);

/// Value of a term at a point; where it has a law, the coefficient and the law may be far beyond it.
[[nodiscard]] double term_value(const Term& term, std::span<const double> point);

}  // namespace plimsoll::model
