#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/noise_evidence.hpp"

namespace plimsoll::model::detail {

/// Most unknowns of one form: its coefficients and its free exponents.
inline constexpr std::size_t most_unknowns = 10;

/// Place in a lower triangle by rows; the column is not beyond the row.
[[nodiscard]] constexpr std::size_t packed(std::size_t row, std::size_t column) {
    return row * (row + 1) / 2 + column;
}

/// A linear form fitted to weighted values, with its marginal likelihood. Coefficients and covariance are
/// those of the distribution restricted to positive coefficients, where these cannot be negative.
struct LinearFit {
    double log_evidence = 0.0;
    std::size_t unknowns = 0;
    std::array<double, most_unknowns> coefficients{};
    /// Covariance of the coefficients, lower triangle by rows, [unknowns (unknowns + 1) / 2].
    std::array<double, most_unknowns*(most_unknowns + 1) / 2> covariance{};
    double degrees_of_freedom = 0.0;
};

/// Which unknowns of a form have a prior of their own.
struct UnknownsOfForm {
    bool has_constant = false;     ///< the first unknown is the constant, of several
    std::size_t coefficients = 0;  ///< the unknowns after these are shifts of exponents
};

/// Marginal likelihoods of linear forms under a mixture of noise variances.
///
/// A coefficient counts by the largest share of any value that its term can explain, which lies in [0, 1] for
/// a sum of positive terms: uniform there, except that the constant's share is log-uniform over [1e-4, 1].
/// Above 1, where terms cancel, the density falls with the square of the share.
/// The noise variance is integrated out under each prior, so a form has a Student density in closed form.
class FormEvidence {
  public:
    /// Begins a series. `sizes` are what the values are compared with: their absolute values, or one scale
    /// for all where values may be negative; then coefficients have either sign.
    void set_values(std::span<const double> values, std::span<const double> sizes,
                    std::span<const NoisePrior> priors, bool may_be_negative);
    /// Weights of the values: the inverse of their variance up to a common factor. The noise priors are
    /// relative to it.
    void set_weights(std::span<const double> weights);

    /// `columns` are the unknowns' columns, [points] each, of which the first `known` are all columns of the
    /// last fit that found any. False where they are dependent.
    [[nodiscard]] bool fit(std::span<const double* const> columns, const UnknownsOfForm& form,
                           LinearFit& result, std::size_t known = 0);

    /// ln of the evidence by residual sum of squares and the determinant of the scaled normal matrix alone,
    /// roughly: of the noise priors the best counts, and logarithms are good to four digits.
    [[nodiscard]] double rough_log_evidence(double rss, double determinant, std::size_t unknowns) const {
        double result = 0.0;
        rough_log_evidence({&rss, 1}, {&determinant, 1}, unknowns, {&result, 1});
        return result;
    }
    /// How far the evidence may lie above it, where coefficients are not negative.
    [[nodiscard]] double most_above_rating() const {
        constexpr double of_logarithms = 1e-3;
        return std::log(static_cast<double>(priors_.size())) + of_logarithms;
    }
    /// For many forms with as many unknowns at once; nothing sensible where a determinant is not positive.
    void rough_log_evidence(std::span<const double> rss, std::span<const double> determinants,
                            std::size_t unknowns, std::span<double> result) const;
    /// As above for the noise priors with their variances raised to `floor`.
    void set_variance_floor(double floor);

    /// Adds ln of the prior density of the constant of many forms, as roughly. `shares` are squares of the
    /// largest that it has of a value, `deviations` those of their deviations, over the variance of a value.
    void add_density_of_constant(std::span<const double> rss, std::span<const double> shares,
                                 std::span<const double> deviations, std::size_t unknowns,
                                 std::span<double> result) const;
    /// The largest that it can be.
    static constexpr double most_of_constant = 7.0;

    /// The largest that a noise prior thinks the variance is, given the residuals.
    [[nodiscard]] double largest_variance(double rss, std::size_t unknowns) const;

    /// Of the noise priors, without a floor.
    [[nodiscard]] double least_variance() const;
    /// The largest power with which the evidence falls as the residual sum of squares grows.
    [[nodiscard]] double largest_power() const;

    [[nodiscard]] bool may_be_negative() const { return may_be_negative_; }
    [[nodiscard]] std::size_t points() const { return values_.size(); }

  private:
    void prepare_constants();

    std::vector<double> values_;
    std::vector<double> inverse_sizes_;
    std::vector<double> root_weights_;
    std::vector<NoisePrior> given_priors_;
    std::vector<NoisePrior> priors_;
    std::vector<std::array<double, most_unknowns + 1>> constants_;  ///< [priors][unknowns]
    bool may_be_negative_ = false;
    bool orthogonalise(const double* column, std::size_t j, bool is_coefficient);

    // Of the last fit, as far as there are columns: Q by columns and what is left of the values, R, Q'z, and
    // the coefficients at which each term alone reaches a value.
    std::vector<double> work_;  ///< [most_unknowns + 1][points]
    std::array<std::array<double, most_unknowns>, most_unknowns> r_{};
    std::array<double, most_unknowns> projection_{};
    std::array<double, most_unknowns> scale_{};
};

/// ln(exp(a) + exp(b)).
[[nodiscard]] double log_add(double a, double b);

}  // namespace plimsoll::model::detail
