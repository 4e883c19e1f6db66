#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/model/detail/candidates.hpp"
#include "plimsoll/model/detail/form_design.hpp"
#include "plimsoll/model/fit.hpp"
#include "plimsoll/model/options.hpp"

namespace plimsoll::model::detail {

/// A model of one parameter: a constant, or a constant and one term.
struct SingleModel {
    Line line;
    std::optional<Form> form;            ///< empty for a constant
    const FormDesign* design = nullptr;  ///< of the form; lives as long as the search that found it
    SearchScores scores;
    /// The figure by which Extra-P's segmented modeler judges a window.
    [[nodiscard]] double normalized_rss() const { return scores.normalized_rss; }
};

/// Whether some x is so small that Extra-P leaves logarithms out: below 1, where they turn negative, and with
/// falling forms at 1 as well, where these divide by zero.
[[nodiscard]] bool too_small_for_logarithms(std::span<const double> x, const FitOptions& options);

/// Scores of the mean as a model, in-sample.
[[nodiscard]] SingleModel constant_model(const Values& values);

/// A form with its score for ranking, before the other scores are worked out.
struct Scored {
    const FormDesign* design = nullptr;
    Line line;
    double score = std::numeric_limits<double>::infinity();
};

/// Extra-P's choice among forms of one parameter, at fixed points, for any number of value sets.
class BasicSearch {
  public:
    /// `x` is [points]. Forms that are not defined at every point are left out.
    BasicSearch(std::span<const double> x, const FitOptions& options, std::span<const Form> forms);

    [[nodiscard]] SingleModel fit(const Values& values) const;

    /// Whether forms were left out since x is too small for logarithms.
    [[nodiscard]] bool dropped_logarithms() const { return dropped_logarithms_; }

  private:
    const FitOptions* options_;
    std::vector<std::unique_ptr<FormDesign>> designs_;
    bool dropped_logarithms_ = false;
};

/// Line and ranking score of a form; the score is infinite where the form is not valid.
[[nodiscard]] Scored score_form(const FormDesign& design, const Values& values, const FitOptions& options);

/// Whether the term reaches the least share of some measured value.
[[nodiscard]] bool contributes(const FormDesign& design, const Line& line, const Values& values,
                               double least_share);

/// The model of a form with all its scores.
[[nodiscard]] SingleModel complete(const Scored& scored, const Values& values, const FitOptions& options);

}  // namespace plimsoll::model::detail
