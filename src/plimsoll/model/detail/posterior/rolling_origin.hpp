#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/detail/posterior/posterior_search.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// How far predictions of the last values of one parameter go wrong that are made from those before: what
/// a posterior cannot know of itself, for no form may be the right one. For series that are measured at the
/// same points in the same order. One object serves one thread.
class RollingOrigin {
  public:
    /// `points` are the values of the parameter, in any order, `table` its functions at them.
    RollingOrigin(std::span<const double> points, const AxisTable& table, PosteriorSearch::Laws laws);

    /// Fills `discrepancy`, `largest` and `step` of a posterior of the values.
    ///
    /// Where repetitions tell the noise, the last value is predicted from all others, and only what neither
    /// noise nor the prediction's own uncertainty explain counts; all forms are tried only where those with
    /// one term are surprised. Single measurements tell no noise, so all of the error counts, that of up to
    /// four values, a quarter of all. At least three values stay to predict from; with fewer, or where a
    /// value is not positive, nothing is filled.
    void examine(const NoiseEvidence& noise, Positive positive, Posterior& posterior);

  private:
    /// A form with one term.
    struct Rated {
        double log_evidence = 0.0;
        std::size_t function = 0;  ///< 0 is the constant
        bool has_constant = false;
    };

    [[nodiscard]] NoiseEvidence first_values(const NoiseEvidence& noise, std::size_t count) const;
    PosteriorSearch& search_of(std::size_t count);
    [[nodiscard]] bool is_last_as_expected(const NoiseEvidence& noise);
    void rate_forms(const NoiseEvidence& first);

    PosteriorSearch::Laws laws_;
    std::vector<double> points_;                                        ///< rising
    std::vector<std::size_t> order_;                                    ///< position of each in the series
    std::map<std::size_t, std::unique_ptr<PosteriorSearch>> searches_;  ///< by how many values they see
    std::size_t rising_ = 0;                                            ///< functions
    std::size_t functions_ = 1;    ///< the constant, the rising and then the falling ones
    std::vector<double> columns_;  ///< of the functions, [functions x points]
    FormEvidence evidence_;
    std::vector<Rated> rated_;  ///< best first
    std::vector<double> weights_;
};

}  // namespace plimsoll::model::detail
