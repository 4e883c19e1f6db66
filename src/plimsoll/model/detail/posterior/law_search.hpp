#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/form_evidence.hpp"
#include "plimsoll/model/law.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// Exponential and factorial laws of one parameter x: 2^(k h(x)) for each argument h, its rate k fitted; x!,
/// (x-1)!, x x!; 2^x, x 2^x, x^2 2^x; each without and with a constant. One object serves one thread.
class LawSearch {
  public:
    /// `middle` is the point about which rates turn, as exponents do.
    LawSearch(std::span<const double> points, double middle);

    /// Fits all laws to the values and weights of `evidence`, best and worst alike.
    void fit(FormEvidence& evidence);

    [[nodiscard]] std::size_t size() const { return fitted_.size(); }
    /// ln of the evidence with the prior of the law; `-infinity` does not occur.
    [[nodiscard]] double log_evidence(std::size_t i) const { return fitted_[i].log_evidence; }
    [[nodiscard]] const LinearFit& linear_fit(std::size_t i) const { return fitted_[i].fit; }
    [[nodiscard]] std::size_t coefficients(std::size_t i) const { return fitted_[i].has_constant ? 2 : 1; }
    /// Fills the columns of a law's coefficients, [coefficients x points].
    void fill_columns(std::size_t i, std::span<double> columns) const;
    [[nodiscard]] WeighedForm weighed_form(std::size_t i) const;

  private:
    /// x^power times a law, whose values are scaled so that the largest is 1.
    struct Candidate {
        Law law;
        int power = 0;
        std::vector<double> column;  ///< empty where the rate is free
        double log_scale = 0.0;      ///< ln of the largest value
        std::vector<double> along;   ///< of a free rate: the argument from 0 (smallest) to 1, [points]
        double range = 0.0;          ///< of the argument
        double offset = 0.0;         ///< its smallest value, in ranges
        double most_gain = 0.0;      ///< ln of the largest growth over the range that can be written
        double turning = 0.0;        ///< the middle's place between 0 and 1
    };
    struct Fitted {
        std::size_t candidate = 0;
        bool has_constant = false;
        double gain = 0.0;  ///< of a free rate: ln of the growth over the measured range
        LinearFit fit;
        double log_evidence = 0.0;
    };

    void add_fixed(const Law& law, int power, std::span<const double> points);
    void add_free(LawArgument argument, std::span<const double> points, double middle);
    void fill(const Candidate& candidate, double gain, std::span<double> column) const;
    [[nodiscard]] bool fit_at(const Candidate& candidate, bool has_constant, double gain, bool is_free,
                              FormEvidence& evidence, LinearFit& fit);
    [[nodiscard]] bool fit_free(const Candidate& candidate, FormEvidence& evidence, Fitted& result);

    std::size_t points_;
    std::vector<Candidate> candidates_;
    std::vector<Fitted> fitted_;
    std::vector<double> columns_;  ///< constant, law, derivative; [3 x points]
};

}  // namespace plimsoll::model::detail
