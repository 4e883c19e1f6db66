#include "plimsoll/model/detail/basic_search.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::model::detail {

namespace {

constexpr double in_sample_negligible = 0.001;  // Extra-P's threshold for a constant without cross-validation

/// Symmetric percentage error of one prediction, in per cent.
double symmetric_error(double prediction, double value) {
    const double scale = std::abs(value) + std::abs(prediction);
    return scale == 0.0 ? 0.0 : 200.0 * std::abs(prediction - value) / scale;
}

/// Constant and slope after Extra-P's cleaning of a negligible constant, which it does without
/// cross-validation only.
Line cleaned(Line line, const Values& values) {
    if (FormDesign::is_negligible(line.constant, values.minimum, in_sample_negligible)) line.constant = 0.0;
    return line;
}

double adjusted_r2(double rss, const Values& values) {
    const auto n = static_cast<double>(values.y.size());
    return 1.0 - rss / values.spread * (n - 1.0) / (n - 2.0);
}

}  // namespace

bool too_small_for_logarithms(std::span<const double> x, const FitOptions& options) {
    return std::any_of(x.begin(), x.end(),
                       [&](double value) { return options.negative_exponents ? value <= 1.0 : value < 1.0; });
}

SingleModel constant_model(const Values& values) {
    SingleModel model;
    model.line.constant = values.mean;
    const auto n = static_cast<double>(values.y.size());
    for (const double y : values.y) {
        const double d = values.mean - y;
        model.scores.rss += d * d;
        model.scores.smape += symmetric_error(values.mean, y) / n;
        if (y != 0.0) {
            model.scores.relative_rss += (d / y) * (d / y);
            model.scores.relative_error = std::abs(d) / y;  // of the last point only, as Extra-P has it
        }
    }
    model.scores.normalized_rss = std::sqrt(model.scores.rss) / values.mean;
    model.scores.adjusted_r2 = 1.0;
    return model;
}

BasicSearch::BasicSearch(std::span<const double> x, const FitOptions& options, std::span<const Form> forms)
    : options_(&options) {
    const bool too_small = too_small_for_logarithms(x, options);
    for (const Form& form : forms) {
        if (too_small && !form.log_exponent.is_zero()) {
            dropped_logarithms_ = true;
        } else if (auto design = FormDesign::make(form, x)) {
            designs_.push_back(std::move(design));
        }
    }
}

Scored score_form(const FormDesign& design, const Values& values, const FitOptions& options) {
    Scored scored{.design = &design, .line = design.fit(values)};
    const auto n = static_cast<double>(values.y.size());
    double rss = 0.0;
    double smape = 0.0;
    const auto visit = [&](std::size_t i, double prediction) {
        const double d = prediction - values.y[i];
        rss += d * d;
        smape += symmetric_error(prediction, values.y[i]);
    };
    if (options.scoring == Scoring::leave_one_out) {
        design.leave_each_out(values, scored.line, visit);
    } else {
        scored.line = cleaned(scored.line, values);
        for (std::size_t i = 0; i < values.y.size(); ++i) {
            visit(i, scored.line.constant + scored.line.slope * design.column()[i]);
        }
    }
    if (std::isfinite(rss)) scored.score = options.ranking == Ranking::smape ? smape / n : rss;
    return scored;
}

bool contributes(const FormDesign& design, const Line& line, const Values& values, double least_share) {
    if (line.slope == 0.0) return false;
    bool enough = false;
    for (std::size_t i = 0; i < values.y.size(); ++i) {
        const double share = std::abs(line.slope * design.column()[i] / values.y[i]);
        // 0/0 does not refuse a term: Extra-P's comparison with a value that is no number is false.
        enough |= !(share < least_share);
    }
    return enough;
}

SingleModel complete(const Scored& scored, const Values& values, const FitOptions& options) {
    SingleModel model;
    model.line = scored.line;
    model.form = scored.design->form();
    model.design = scored.design;
    SearchScores& scores = model.scores;
    const auto n = static_cast<double>(values.y.size());
    const bool leaves_out = options.scoring == Scoring::leave_one_out;
    const auto visit = [&](std::size_t i, double prediction) {
        const double y = values.y[i];
        const double d = prediction - y;
        scores.rss += d * d;
        scores.smape += symmetric_error(prediction, y) / n;
        if (leaves_out) {
            // A running sum that depends on the order of the points: Extra-P's definition.
            const double mean_of_others = (n * values.mean - y) / (n - 1.0);
            scores.normalized_rss += std::sqrt(scores.rss) / mean_of_others / n;
            if (y != 0.0) {
                scores.relative_error += std::abs(d / y) / n;
                scores.relative_rss += (d / y) * (d / y);
            }
        } else {
            scores.relative_error += std::abs(d) / y / n;
            scores.relative_rss += (d / y) * (d / y);
        }
    };
    if (leaves_out) {
        scored.design->leave_each_out(values, scored.line, visit);
    } else {
        for (std::size_t i = 0; i < values.y.size(); ++i) {
            visit(i, scored.line.constant + scored.line.slope * scored.design->column()[i]);
        }
        scores.normalized_rss = std::sqrt(scores.rss) / values.mean;
    }
    scores.adjusted_r2 = adjusted_r2(scores.rss, values);
    return model;
}

SingleModel BasicSearch::fit(const Values& values) const {
    SingleModel constant = constant_model(values);
    if (constant.scores.rss == 0.0) return constant;
    Scored best;
    best.score = options_->ranking == Ranking::smape ? constant.scores.smape : constant.scores.rss;
    for (const auto& design : designs_) {
        const Scored scored = score_form(*design, values, *options_);
        if (scored.score < best.score &&
            contributes(*design, scored.line, values, options_->minimum_contribution)) {
            best = scored;
        }
    }
    return best.design == nullptr ? constant : complete(best, values, *options_);
}

}  // namespace plimsoll::model::detail
