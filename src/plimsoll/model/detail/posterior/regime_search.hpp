#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plimsoll/model/detail/posterior/change_points.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/detail/posterior/posterior_search.hpp"
#include "plimsoll/model/detail/posterior/rolling_origin.hpp"
#include "plimsoll/model/options.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// Regimes along the only parameter, for series that are measured at the same points: beside the forms that
/// hold everywhere, those that hold between changes.
///
/// `ChangePointSearch` says where changes may be; the points of each regime that is probable enough are then
/// modelled like a series of their own, by all forms.
class RegimeSearch {
  public:
    /// `points` are in the order of the values; `whole` is the search of all points.
    RegimeSearch(std::span<const double> points, const PosteriorSearch& whole, PosteriorSearch::Laws laws);

    /// Adds what is probable of regimes to the posterior of the last fit of `whole`. True where a law that is
    /// not among the forms explains the values better than several regimes, which are left out then.
    bool examine(const NoiseEvidence& noise, Positive positive, const PosteriorSearch& whole,
                 Posterior& posterior);

  private:
    struct OfRegime {
        OfRegime(std::span<const double> points, PosteriorSearch::Laws laws, double middle)
            : search(points, 1, laws, middle) {}
        PosteriorSearch search;
        std::unique_ptr<RollingOrigin> rolling_origin;  ///< of the last regime
    };
    [[nodiscard]] bool is_law_better(const NoiseEvidence& noise, Positive positive, double log_evidence);
    OfRegime& search_of(const Regime& regime);
    [[nodiscard]] Posterior posterior_of(const Regime& regime, const NoiseEvidence& noise, double variance,
                                         Positive positive);
    [[nodiscard]] Range range_of(const Regime& regime) const;
    [[nodiscard]] std::vector<ChangePoint> changes(const ChangePoints& found, double probability) const;

    PosteriorSearch::Laws laws_;
    double middle_ = 1.0;
    std::vector<std::size_t> order_;                    ///< of the points, ascending
    std::vector<double> points_;                        ///< ascending
    std::unique_ptr<ChangePointSearch> change_points_;  ///< made when first needed
    std::unique_ptr<PosteriorSearch> with_laws_;        ///< of all points, made when first needed
    std::map<std::pair<std::size_t, std::size_t>, OfRegime> searches_;
};

}  // namespace plimsoll::model::detail
