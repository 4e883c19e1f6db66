#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/axis_functions.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"

namespace plimsoll::model::detail {

/// Fewest points of a regime: two unknowns, and one to contradict them.
inline constexpr std::size_t fewest_regime_points = 3;

/// Points of a regime in ascending order of the parameter, [begin, end).
struct Regime {
    std::size_t begin = 0;
    std::size_t end = 0;
    double probability = 0.0;  ///< that some regime has exactly these points, given that there are several
};

/// What values say of changes along one parameter.
struct ChangePoints {
    double log_evidence = -std::numeric_limits<double>::infinity();  ///< as `FormEvidence` counts it
    double variance = 0.0;         ///< relative, of a value: its geometric mean, given several regimes
    std::vector<Regime> regimes;   ///< those worth speaking of, by begin and end
    std::vector<Regime> best_way;  ///< the most probable ones that together cover all points
};

/// All ways to cut a series of one parameter into several regimes, each with a form of its own.
///
/// Given the noise, the evidence of a way is the product of its regimes' evidences, so the sum over all ways
/// follows by recursion from change to change, and with the sum from behind each regime's probability
/// (Fearnhead, "Exact and efficient Bayesian inference for multiple changepoint problems", Statistics and
/// Computing 16, 2006). The noise is integrated out numerically. Within a regime, forms have one term, rising
/// or falling, and perhaps a constant, or are a constant less a falling term.
class ChangePointSearch {
  public:
    /// `points` in ascending order, all different; at least twice `fewest_regime_points`. Of very many
    /// points, regimes begin and end at every few.
    explicit ChangePointSearch(std::span<const double> points);
    /// Regimes begin and end at most `reach` points from those of a way that a coarser search found.
    ChangePointSearch(std::span<const double> points, std::span<const Regime> way, std::size_t reach);

    /// `values` and their `weights` (inverse variances but for the noise) in the order of the points, all
    /// positive. `rss` is what forms that hold everywhere leave of them.
    [[nodiscard]] ChangePoints find(std::span<const double> values, std::span<const double> weights,
                                    std::span<const NoisePrior> priors, double rss);

    /// From one place where a regime may begin to the next, in points.
    [[nodiscard]] std::size_t stride() const { return (points_ + most_cuts - 1) / most_cuts; }
    [[nodiscard]] bool is_coarse() const { return stride() > 1; }

  private:
    static constexpr std::size_t most_cuts = 64;
    void list_stretches();
    /// A form fitted to a stretch of points: what does not depend on the noise.
    struct FittedForm {
        double prior = 0.0;
        bool has_constant_beside = false;
        double rss = 0.0;
        double volume =
            0.0;  ///< of its coefficients' shares at a variance of the noise of one, without limits
        // Of its term and of a constant beside that: the share in the values, over its deviation where the
        // variance of the noise is one.
        double term = 0.0;
        double constant = 0.0;
        // The same constant's share, and its deviation.
        double constant_share = 0.0;
        double constant_deviation = 0.0;
    };
    struct Stretch {
        std::size_t begin = 0;  ///< positions among the cuts
        std::size_t end = 0;
        std::vector<FittedForm> forms;  ///< the best fit first
    };
    /// Logarithms of sums over all ways at one variance of the noise.
    struct Sums {
        std::vector<double> of_stretch;  ///< evidence of each
        std::vector<double> before;      ///< of all points before each cut
        std::vector<double> behind;      ///< of all points behind each cut
        [[nodiscard]] double total() const { return before.back(); }
    };

    /// Between which the variance of the noise lies, whatever the way.
    struct Limits {
        double least = 0.0;
        double most = 0.0;
    };
    void prepare(std::span<const double> values, std::span<const double> weights);
    void fit_stretches();
    void fit_constant(std::size_t begin);
    void fit_function(std::size_t begin, FunctionId f, double mass, double taken_off);
    [[nodiscard]] double smallest_rss() const;
    [[nodiscard]] Limits limits_of_variance(double rss, std::span<const NoisePrior> priors) const;
    [[nodiscard]] double log_evidence(const Stretch& stretch, double variance) const;
    void sum_over_ways(double variance, Sums& sums) const;
    void sum_from_behind(Sums& sums) const;
    [[nodiscard]] double log_change(const Stretch& stretch) const {
        return stretch.begin > 0 ? log_change_ : 0.0;
    }
    [[nodiscard]] Regime regime(const Stretch& stretch, double probability) const;
    [[nodiscard]] std::vector<Regime> best_way(const Sums& sums) const;

    AxisTable table_;
    std::size_t points_;
    std::vector<std::size_t> cuts_;    ///< where regimes may begin and end, from 0 to the number of points
    double log_change_ = 0.0;          ///< prior probability of a change at a cut
    std::vector<Stretch> stretches_;   ///< by begin, then by end; not that of all points
    std::vector<std::size_t> starts_;  ///< first stretch of each begin, and their number
    std::vector<double> values_;
    std::vector<double> root_weights_;
};

}  // namespace plimsoll::model::detail
