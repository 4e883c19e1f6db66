#include <cmath>
#include <numeric>

#include "plimsoll/model/detail/series_search.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model::detail {

namespace {

/// Extra-P's scores of a model in two segments: in-sample, over all points.
SearchScores segmented_scores(const SegmentedModel& model, std::span<const double> x,
                              std::span<const double> y) {
    std::vector<double> predictions;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const SingleModel& part = i < model.first_count ? model.first : *model.second;
        const double term = part.form ? power_log(x[i], part.form->exponent, part.form->log_exponent) : 0.0;
        predictions.push_back(part.line.constant + part.line.slope * term);
    }
    SearchScores scores = score_predictions(predictions, y, 1);
    scores.normalized_rss = std::sqrt(scores.rss) / numeric::mean(y);
    return scores;
}

}  // namespace

AxisSearch::AxisSearch(std::span<const double> x, std::size_t axis, const FitOptions& options,
                       std::span<const Form> forms)
    : axis_(axis) {
    switch (options.modeler) {
        case Modeler::basic: basic_.emplace(x, options, forms); break;
        case Modeler::refining: refining_.emplace(x, options); break;
        case Modeler::segmented: segmented_.emplace(x, options, forms); break;
    }
}

bool AxisSearch::dropped_logarithms() const {
    if (basic_) return basic_->dropped_logarithms();
    return refining_ ? refining_->dropped_logarithms() : segmented_->dropped_logarithms();
}

Function AxisSearch::function_of(const SingleModel& model) const {
    Function function;
    function.constant = model.line.constant;
    if (model.form) {
        const Factor factor{.parameter = axis_,
                            .exponent = model.form->exponent,
                            .log_exponent = model.form->log_exponent,
                            .segments = {}};
        function.terms.push_back({.coefficient = model.line.slope, .factors = {factor}});
    }
    return function;
}

AxisSearch::Result AxisSearch::result_of(const SingleModel& model) const {
    return {
        .function = function_of(model), .form = model.form, .design = model.design, .scores = model.scores};
}

AxisSearch::Result AxisSearch::result_of(const SegmentedModel& model, std::span<const double> y) const {
    if (!model.second) {
        Result result = result_of(model.first);
        result.design = nullptr;  // its points are sorted
        return result;
    }
    const std::span<const double> x = segmented_->ascending();
    // Extra-P leaves a gap between the segments; ours meet in its middle.
    const double border = std::midpoint(x[model.first_count - 1], x[model.second_begin]);
    std::vector<double> sorted;
    for (const std::size_t i : segmented_->order()) sorted.push_back(y[i]);
    Result result;
    result.function.segment_parameter = axis_;
    result.function.segments = {{.to = border, .function = function_of(model.first)},
                                {.from = border, .function = function_of(*model.second)}};
    result.scores = segmented_scores(model, x, sorted);
    return result;
}

AxisSearch::Result AxisSearch::fit(std::span<const double> y) {
    const Values values(y);
    if (basic_) return result_of(basic_->fit(values));
    if (refining_) return result_of(refining_->fit(values));
    return result_of(segmented_->fit(values), y);
}

}  // namespace plimsoll::model::detail
