#include "plimsoll/model/misfit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "plimsoll/numeric/centered_design.hpp"
#include "plimsoll/numeric/rounding.hpp"

namespace plimsoll::model {

namespace {

constexpr std::size_t fewest_points = 9;
constexpr double plain = 25.0;  // residual variance over that of the noise, from which a misfit is plain
constexpr double log_prior = -1.735;  // ln(0.15 / 0.85): most models have none

/// Correlation of two values by their distance in lengths.
double matern(double distance) {
    const double d = std::sqrt(3.0) * distance;
    return (1.0 + d) * std::exp(-d);
}

double correlation_of(const Misfit& misfit, std::span<const double> a, std::span<const double> b) {
    double product = 1.0;
    for (std::size_t p = 0; p < misfit.length.size(); ++p) product *= misfit.correlation(p, a[p], b[p]);
    return product;
}

/// ln of the probability density of the residuals, up to a constant.
double log_likelihood(const Misfit& misfit) {
    const auto lower = misfit.factored();
    if (!lower) return -std::numeric_limits<double>::infinity();
    std::vector<double> white = misfit.residuals;
    numeric::solve_lower(*lower, white.size(), white);
    double result = 0.0;
    for (std::size_t i = 0; i < white.size(); ++i) {
        result -= 0.5 * white[i] * white[i] + std::log((*lower)[i * white.size() + i]);
    }
    return result;
}

/// Lengths to be tried: short in one parameter and long in the others, short or middling in all.
std::vector<std::vector<double>> kernels(std::size_t parameters) {
    std::vector<std::vector<double>> all;
    for (std::size_t p = 0; p < parameters && parameters > 1; ++p) {
        std::vector<double> lengths(parameters, 1.0);
        lengths[p] = 0.2;
        all.push_back(std::move(lengths));
    }
    all.emplace_back(parameters, 0.2);
    all.emplace_back(parameters, 0.6);
    return all;
}

}  // namespace

double Misfit::correlation(std::size_t parameter, double a, double b) const {
    if (!(range[parameter] > 0.0)) return 1.0;
    return matern(std::abs(std::log(a / b)) / range[parameter] / length[parameter]);
}

std::optional<std::vector<double>> Misfit::factored() const {
    const std::size_t n = residuals.size();
    const std::size_t parameters = length.size();
    const std::span<const double> all(points);
    std::vector<double> lower(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = variance * correlation_of(*this, all.subspan(i * parameters, parameters),
                                                   all.subspan(j * parameters, parameters));
            if (i == j) sum += noise;
            for (std::size_t k = 0; k < j; ++k) sum -= lower[i * n + k] * lower[j * n + k];
            if (i != j) {
                lower[i * n + j] = sum / lower[j * n + j];
            } else if (sum > 1e-14 * variance) {
                lower[i * n + i] = std::sqrt(sum);
            } else {
                return std::nullopt;
            }
        }
    }
    return lower;
}

Misfit::Correction Misfit::at(std::span<const double> point) const {
    const std::size_t parameters = length.size();
    for (std::size_t p = 0; p < parameters; ++p) {
        if (range[p] > 0.0 && !(point[p] > 0.0)) return {};
    }
    const auto lower = factored();
    if (!lower) return {};
    const std::size_t n = residuals.size();
    std::vector<double> across(n);
    for (std::size_t i = 0; i < n; ++i) {
        across[i] =
            variance * correlation_of(*this, point, std::span(points).subspan(i * parameters, parameters));
    }
    std::vector<double> white = residuals;
    numeric::solve_lower(*lower, white.size(), white);
    numeric::solve_lower(*lower, n, across);
    Correction correction{.mean = 0.0, .variance = variance};
    for (std::size_t i = 0; i < n; ++i) {
        correction.mean += across[i] * white[i];
        correction.variance -= across[i] * across[i];
    }
    correction.variance = std::max(correction.variance, 0.0);
    return correction;
}

FoundMisfit find_misfit(std::span<const double> points, std::size_t parameters,
                        std::span<const double> values, std::span<const double> model, double noise) {
    const std::size_t n = values.size();
    if (n < fewest_points || n > most_misfit_points || !(noise > 0.0)) return {};
    Misfit misfit;
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        if (!(values[i] > 0.0) || !(model[i] > 0.0)) return {};
        misfit.residuals.push_back(numeric::round_to_digits(std::log(values[i] / model[i]), 9));
        squares += misfit.residuals.back() * misfit.residuals.back();
    }
    const double mean_square = squares / static_cast<double>(n);
    if (!(mean_square > plain * noise)) return {};
    misfit.points.assign(points.begin(), points.end());
    misfit.noise = numeric::round_to_digits(noise, 9);
    for (std::size_t p = 0; p < parameters; ++p) {
        double smallest = std::numeric_limits<double>::infinity();
        double largest = 0.0;
        for (std::size_t i = p; i < points.size(); i += parameters) {
            smallest = std::min(smallest, points[i]);
            largest = std::max(largest, points[i]);
        }
        if (!(smallest > 0.0)) return {};
        misfit.origin.push_back(smallest);
        misfit.range.push_back(numeric::round_to_digits(std::log(largest / smallest), 9));
    }
    Misfit without = misfit;  // all of it noise
    without.length.assign(parameters, 1e-3);
    without.variance = mean_square;
    const double of_noise = log_likelihood(without);
    double best = of_noise;
    FoundMisfit found;
    for (const std::vector<double>& lengths : kernels(parameters)) {
        for (const double share : {0.5, 1.0, 2.0, 4.0}) {
            Misfit tried = misfit;
            tried.length = lengths;
            tried.variance = numeric::round_to_digits(share * mean_square, 9);
            const double likelihood = log_likelihood(tried) + log_prior;
            if (likelihood <= best) continue;
            best = likelihood;
            found.misfit = std::move(tried);
        }
    }
    found.log_gain = best - of_noise;
    return found;
}

}  // namespace plimsoll::model
