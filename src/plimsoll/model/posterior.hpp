#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "plimsoll/model/function.hpp"
#include "plimsoll/model/misfit.hpp"

namespace plimsoll::model {

/// Where a form counts along the only parameter, both ends left out: everywhere, or in one of several regimes
/// and up to the measured values next to it.
struct Range {
    double from = -std::numeric_limits<double>::infinity();
    double to = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool is_everywhere() const { return is_first() && is_last(); }
    [[nodiscard]] bool is_first() const { return from == -std::numeric_limits<double>::infinity(); }
    /// Whether it goes on beyond all measured values.
    [[nodiscard]] bool is_last() const { return to == std::numeric_limits<double>::infinity(); }
    [[nodiscard]] bool holds(double x) const { return from < x && x < to; }
    friend bool operator==(const Range&, const Range&) = default;
};

/// A form that may be the right one, and how well its coefficients are known.
struct WeighedForm {
    double probability = 0.0;
    Range range{};
    Function function;  ///< with the means of its coefficients
    bool has_constant = false;
    double degrees_of_freedom = 0.0;  ///< of the coefficients' Student distribution
    /// Parameters whose exponents were fitted as well, off the list of usual ones.
    std::vector<std::size_t> free_parameters;
    /// Covariance of the unknowns, lower triangle by rows: the constant if there is one, the terms'
    /// coefficients, the exponents of `free_parameters`.
    std::vector<double> covariance;
};

/// Forms with their probabilities, the most probable first, packed: an experiment may have a hundred thousand
/// regions with dozens of forms each.
class FormList {
  public:
    FormList() = default;
    FormList(std::initializer_list<WeighedForm> forms);

    [[nodiscard]] bool empty() const { return starts_.empty(); }
    /// Whether a form has an exponential or factorial law.
    [[nodiscard]] bool has_laws() const { return has_laws_; }
    [[nodiscard]] std::size_t size() const { return starts_.size(); }
    [[nodiscard]] double probability(std::size_t i) const { return numbers_[starts_[i].number]; }
    [[nodiscard]] Range range(std::size_t i) const;
    [[nodiscard]] WeighedForm operator[](std::size_t i) const;
    /// The same into a form that is there, which takes no memory where forms are alike.
    void read(std::size_t i, WeighedForm& form) const;
    [[nodiscard]] Function function(std::size_t i) const;

    /// Whether an exponent can be kept here: numerator and denominator within 32 bits.
    [[nodiscard]] static bool can_hold(const Rational& exponent);
    /// Appends a form without segments, whose exponents `can_hold` allows.
    void add(const WeighedForm& form);
    /// Gives back memory that was reserved for more forms.
    void shrink();

  private:
    struct Start {
        std::uint32_t number = 0;
        std::uint32_t code = 0;
    };
    class Unpacking;

    std::vector<Start> starts_;
    std::vector<double>
        numbers_;  ///< of each form: probability, degrees of freedom, range, coefficients, covariance
    std::vector<std::int32_t> codes_;  ///< of each form: what it has, counts, factors, free parameters
    bool has_laws_ = false;
};

/// The behaviour changes somewhere between two neighbouring measured values of the only parameter.
struct ChangePoint {
    double after = 0.0;
    double before = 0.0;
    double probability = 0.0;
};

/// What the measurements leave open: the forms that explain them, with their probabilities.
struct Posterior {
    FormList forms;                    ///< the probabilities of those that hold a measured point sum to one
    std::vector<ChangePoint> changes;  ///< rising; empty unless it is clear that there are any
    std::vector<double> middle;        ///< of each parameter: free exponents turn about it
    bool may_be_negative = false;      ///< coefficients have either sign, and so have predictions
    double run_deviation = std::numeric_limits<double>::quiet_NaN();  ///< relative, of one run
    /// By how much (of the logarithm) predictions of the last points from those before went wrong, beyond
    /// what their distributions said, for each step beyond the measured range.
    double discrepancy = 0.0;
    std::vector<double> largest;  ///< largest measured value of each parameter
    std::vector<double> step;     ///< from one value to the next, as a factor (above 1)
    Misfit misfit;  ///< what neighbouring values have in common beyond all forms; empty for most
};

/// A value with the range in which the true one lies with a given probability.
struct Estimate {
    double value = std::numeric_limits<double>::quiet_NaN();  ///< median of the predictive distribution
    double low = std::numeric_limits<double>::quiet_NaN();
    double high = std::numeric_limits<double>::quiet_NaN();
};

/// The predictive distribution at a point, [parameters]: a mixture over the forms. `coverage` in (0, 1) is
/// the probability of the range, with equal parts on both sides. The value is that of the program without
/// noise, not of a new measurement. Not a number where forms that make up half of the probability have no
/// value. Where forms have laws, each is log-normal, and what no number can hold is the largest one.
[[nodiscard]] Estimate estimate(const Posterior& posterior, std::span<const double> point, double coverage);

/// Mean and variance of the logarithm of the value at a point, over the forms that are positive there; not a
/// number where these make up less than half of the probability.
struct LogMoments {
    double mean = std::numeric_limits<double>::quiet_NaN();
    double variance = std::numeric_limits<double>::quiet_NaN();
};
[[nodiscard]] LogMoments log_moments(const Posterior& posterior, std::span<const double> point);

/// The forms that are worth telling a person of: the most probable ones of those that hold beyond the
/// measured values, down to a probability of 1 %, at most five.
[[nodiscard]] std::vector<WeighedForm> leading_forms(const Posterior& posterior);

}  // namespace plimsoll::model
