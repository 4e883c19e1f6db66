#include "plimsoll/model/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

constexpr double smallest_relative_deviation = 1e-9 / 1.64;  // rounding of exact data

/// One form's share of the predictive distribution, taken as normal.
struct Part {
    double weight;
    double mean;
    double deviation;
};

std::size_t packed(std::size_t row, std::size_t column) {
    return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
}

/// Derivatives of the value by the unknowns of a form at a point; the value itself comes back.
double derivatives(const Posterior& posterior, const WeighedForm& form, std::span<const double> point,
                   std::vector<double>& by_unknown) {
    by_unknown.clear();
    double value = form.function.constant;
    if (form.has_constant) by_unknown.push_back(1.0);
    std::vector<double> by_exponent(form.free_parameters.size(), 0.0);
    for (const Term& term : form.function.terms) {
        const double product = factor_product(term.factors, point);
        by_unknown.push_back(product);
        value += term.coefficient * product;
        for (std::size_t i = 0; i < by_exponent.size(); ++i) {
            const std::size_t parameter = form.free_parameters[i];
            const bool is_factor = std::any_of(term.factors.begin(), term.factors.end(),
                                               [&](const Factor& f) { return f.parameter == parameter; });
            if (!is_factor) continue;
            by_exponent[i] +=
                term.coefficient * product * std::log(point[parameter] / posterior.middle[parameter]);
        }
    }
    by_unknown.insert(by_unknown.end(), by_exponent.begin(), by_exponent.end());
    return value;
}

/// Mean and variance of a form's value.
Part part_of(const Posterior& posterior, const WeighedForm& form, std::span<const double> point,
             std::vector<double>& by_unknown) {
    const double mean = derivatives(posterior, form, point, by_unknown);
    const std::size_t k = by_unknown.size();
    PLIMSOLL_EXPECT(form.covariance.size() == k * (k + 1) / 2);
    double variance = 0.0;
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            variance += by_unknown[i] * form.covariance[packed(i, j)] * by_unknown[j];
        }
    }
    return {.weight = form.probability, .mean = mean, .deviation = std::sqrt(std::max(variance, 0.0))};
}

/// Share of a mixture below a value.
double share_below(std::span<const Part> parts, double value) {
    double share = 0.0;
    for (const Part& part : parts) {
        const double z = (value - part.mean) / part.deviation;
        if (z > 9.0) {
            share += part.weight;
        } else if (z > -9.0) {
            share += part.weight * numeric::normal_cdf(z);
        }
    }
    return share;
}

/// The value below which a share of the mixture lies, whose normal quantile is z; by bisection with secant
/// steps.
double quantile(std::span<const Part> parts, double share, double z) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Part& part : parts) {  // the mixture's quantile lies between those of its parts
        low = std::min(low, part.mean + z * part.deviation);
        high = std::max(high, part.mean + z * part.deviation);
    }
    double below = share_below(parts, low) - share;
    double above = share_below(parts, high) - share;
    const double tolerance = 1e-7 * std::max(high - low, 0.0);
    for (int i = 0; i < 80 && high - low > tolerance + 1e-15 * std::abs(high); ++i) {
        double middle = 0.5 * (low + high);
        if (i % 3 != 2 && above > below) {
            const double secant = low - below * (high - low) / (above - below);
            const double margin = 0.02 * (high - low);
            middle = std::clamp(secant, low + margin, high - margin);
        }
        const double at = share_below(parts, middle) - share;
        if (at < 0.0) {
            low = middle;
            below = at;
        } else {
            high = middle;
            above = at;
        }
    }
    return 0.5 * (low + high);
}

/// Steps beyond the measured range, 0 inside it.
double steps_beyond(const Posterior& posterior, std::span<const double> point) {
    double most = 0.0;
    for (std::size_t p = 0; p < posterior.largest.size() && p < posterior.step.size(); ++p) {
        const bool is_beyond =
            posterior.step[p] > 1.0 && posterior.largest[p] > 0.0 && point[p] > posterior.largest[p];
        if (is_beyond)
            most = std::max(most, std::log(point[p] / posterior.largest[p]) / std::log(posterior.step[p]));
    }
    return most;
}

}  // namespace

std::vector<const WeighedForm*> leading_forms(const Posterior& posterior) {
    constexpr std::size_t most = 5;
    constexpr double least = 0.01;
    std::vector<const WeighedForm*> forms;
    for (const WeighedForm& form : posterior.forms) {
        if (forms.size() == most || form.probability < least) break;
        forms.push_back(&form);
    }
    return forms;
}

Estimate estimate(const Posterior& posterior, std::span<const double> point, double coverage) {
    PLIMSOLL_EXPECT(coverage > 0.0 && coverage < 1.0);
    std::vector<Part> parts;
    std::vector<double> by_unknown;
    const double tail = 0.5 * (1.0 - coverage);
    const double normal = -numeric::normal_quantile(tail);
    double total = 0.0;
    const double beyond =
        posterior.discrepancy > 0.0 ? posterior.discrepancy * steps_beyond(posterior, point) : 0.0;
    for (const WeighedForm& form : posterior.forms) {
        Part part = part_of(posterior, form, point, by_unknown);
        if (!std::isfinite(part.mean) || !std::isfinite(part.deviation)) continue;
        // A normal distribution as wide as Student's at the limits asked for.
        part.deviation *=
            numeric::student_of_normal_quantile(normal, std::max(form.degrees_of_freedom, 2.0)) / normal;
        const double further = beyond * std::abs(part.mean);
        part.deviation = std::hypot(part.deviation, further);
        part.deviation = std::max(part.deviation, smallest_relative_deviation * std::abs(part.mean));
        if (part.deviation == 0.0) part.deviation = std::numeric_limits<double>::min();
        total += part.weight;
        parts.push_back(part);
    }
    if (total < 0.5) return {};  // most forms have no value there
    for (Part& part : parts) part.weight /= total;
    Estimate result{.value = quantile(parts, 0.5, 0.0),
                    .low = quantile(parts, tail, -normal),
                    .high = quantile(parts, 1.0 - tail, normal)};
    if (!posterior.may_be_negative) {
        result.low = std::max(result.low, 0.0);
        result.value = std::max(result.value, 0.0);
        result.high = std::max(result.high, 0.0);
    }
    return result;
}

}  // namespace plimsoll::model
