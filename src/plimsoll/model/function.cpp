#include "plimsoll/model/function.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::model {

namespace {

double piecewise(std::span<const Segment> segments, double x, std::span<const double> point) {
    for (const Segment& segment : segments) {
        if (x >= segment.from && x <= segment.to) return segment.function(point);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// Powers that occur often, without the general and slower pow.
double power(double x, const Rational& exponent) {
    if (exponent.is_whole()) {
        switch (exponent.numerator()) {
            case 0: return 1.0;
            case 1: return x;
            case 2: return x * x;
            default: break;
        }
    }
    return std::pow(x, exponent.value());
}

}  // namespace

double power_log(double x, const Rational& exponent, const Rational& log_exponent) {
    const double polynomial = power(x, exponent);
    return log_exponent.is_zero() ? polynomial : polynomial * power(std::log2(x), log_exponent);
}

double factor_product(std::span<const Factor> factors, std::span<const double> point) {
    double product = 1.0;
    for (const Factor& factor : factors) {
        const double x = point[factor.parameter];
        product *= factor.segments.empty() ? power_log(x, factor.exponent, factor.log_exponent)
                                           : piecewise(factor.segments, x, point);
        if (factor.law.is_there()) product *= std::exp(log_value(factor.law, x));
    }
    return product;
}

bool has_law(std::span<const Factor> factors) {
    return std::any_of(factors.begin(), factors.end(), [](const Factor& f) { return f.law.is_there(); });
}

double log_factor_product(std::span<const Factor> factors, std::span<const double> point) {
    double log = 0.0;
    for (const Factor& factor : factors) {
        const double x = point[factor.parameter];
        if (!factor.exponent.is_zero()) log += factor.exponent.value() * std::log(x);
        if (!factor.log_exponent.is_zero()) log += factor.log_exponent.value() * std::log(std::log2(x));
        if (factor.law.is_there()) log += log_value(factor.law, x);
    }
    return log;
}

double term_value(const Term& term, std::span<const double> point) {
    if (!has_law(term.factors)) return term.coefficient * factor_product(term.factors, point);
    const double size =
        std::exp(std::log(std::abs(term.coefficient)) + log_factor_product(term.factors, point));
    return std::copysign(size, term.coefficient);
}

double Function::operator()(std::span<const double> point) const {
    if (!segments.empty()) return piecewise(segments, point[segment_parameter], point);
    double value = constant;
    for (const Term& term : terms) value += term_value(term, point);
    return value;
}

}  // namespace plimsoll::model
