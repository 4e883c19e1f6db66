#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plimsoll/model/detail/posterior/axis_functions.hpp"
#include "plimsoll/model/detail/posterior/contender.hpp"
#include "plimsoll/model/detail/posterior/family_choice.hpp"
#include "plimsoll/model/detail/posterior/form_evidence.hpp"
#include "plimsoll/model/detail/posterior/form_family.hpp"
#include "plimsoll/model/detail/posterior/law_search.hpp"
#include "plimsoll/model/detail/posterior/moments.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/detail/posterior/screening.hpp"
#include "plimsoll/model/posterior.hpp"

namespace plimsoll::model::detail {

/// The posterior over forms for series that are measured at the same points in the same order. Everything
/// that depends on the points alone is prepared once. One object serves one thread.
class PosteriorSearch {
  public:
    /// Whether exponential and factorial laws are among the forms, which one parameter alone has.
    enum class Laws { without, with };

    /// `points` is [values x parameters], row-major. Free exponents and laws turn about `middle`, where it is
    /// given for the only parameter.
    PosteriorSearch(std::span<const double> points, std::size_t parameters, Laws laws = Laws::without,
                    std::optional<double> middle = {});

    /// How many of the best forms are fitted: nearly all that matter, or enough for a rough prediction.
    enum class Effort { full, rough };
    [[nodiscard]] Posterior fit(const NoiseEvidence& noise, Positive positive, Effort effort = Effort::full);

    [[nodiscard]] std::span<const AxisTable> tables() const { return choice_.tables(); }

    // Of the last fit: the evidence of all forms and of the misfit together, the weights of the values, and
    // the average of the forms at the points (none for values of which some are negative).
    [[nodiscard]] double log_evidence() const { return log_evidence_; }
    [[nodiscard]] std::span<const double> weights() const { return weights_; }
    [[nodiscard]] std::span<const double> fitted() const { return fitted_; }

  private:
    [[nodiscard]] const FormFamily& family_of(const Contender& contender) const;
    [[nodiscard]] const Structure& structure_of(const Contender& contender) const;
    [[nodiscard]] bool has_exponent_of_zero(const Contender& contender) const;
    MomentTree& tree_of(const FormFamily& family);
    void fill_columns(const Contender& contender);
    bool refit(Contender& contender);
    void weigh(std::span<const double> sizes, const NoiseEvidence& noise);
    void refit_best(std::span<const Candidate> candidates, std::size_t most, double slack, double behind);
    void rate_again(std::span<const double> values);
    void average_fit();
    void add_laws();
    void add_free_exponents();
    bool refine(Contender& contender, double least_evidence);
    [[nodiscard]] Posterior constant_of(const NoiseEvidence& noise, Positive positive) const;
    [[nodiscard]] Posterior posterior_of();

    std::vector<double> points_;
    std::size_t parameters_;
    FamilyChoice choice_;
    struct LogPoints {
        std::vector<double> distinct;       ///< ln(x / middle) of the coordinates
        std::vector<std::size_t> position;  ///< among these, [points]
    };
    std::vector<LogPoints> log_points_;  ///< of each parameter
    std::vector<double> powers_;
    std::map<std::vector<std::size_t>, MomentTree> trees_;
    Screening screening_;
    FormEvidence evidence_;
    std::vector<Candidate> shortlist_;
    std::optional<LawSearch> laws_;
    std::vector<Contender> contenders_;
    double best_evidence_ = 0.0;  ///< among the contenders
    double log_evidence_ = 0.0;   ///< of all together
    std::vector<double> fitted_;  ///< average of the contenders
    std::vector<double> weights_;
    std::vector<double> sizes_;
    std::vector<double> columns_;  ///< [unknowns x points]
    std::array<const double*, most_unknowns> column_pointers_{};
};

}  // namespace plimsoll::model::detail
