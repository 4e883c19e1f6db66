#include "plimsoll/model/detail/series_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::model::detail {

namespace {

constexpr std::size_t most_tables = 4096;  // kept for the next series; a few KiB each

bool is_finite(const Function& function) {
    return std::isfinite(function.constant) &&
           std::all_of(function.terms.begin(), function.terms.end(),
                       [](const Term& term) { return std::isfinite(term.coefficient); }) &&
           std::all_of(function.segments.begin(), function.segments.end(),
                       [](const Segment& segment) { return is_finite(segment.function); });
}

}  // namespace

/// The model along an axis on which the values depend.
struct SeriesSearch::AxisTerm {
    std::size_t axis;
    AxisSearch::Result model;

    [[nodiscard]] Factor factor() const {
        if (model.form) {
            return {.parameter = axis,
                    .exponent = model.form->exponent,
                    .log_exponent = model.form->log_exponent,
                    .segments = {}};
        }
        return {.parameter = axis, .exponent = {}, .log_exponent = {}, .segments = model.function.segments};
    }
};

SeriesSearch::SeriesSearch(std::span<const double> points, std::size_t parameters, const FitOptions& options,
                           std::span<const Form> forms)
    : points_(points.begin(), points.end()), parameters_(parameters), options_(&options) {
    if (parameters == 1) {
        add_search(points_, forms);
        return;
    }
    plans_ = plan_axes(points_, parameters, options.axis_points);
    for (const AxisPlan& plan : plans_) add_search(plan.x, forms);
    for (std::size_t axes = 1; axes <= std::min(parameters, most_axes); ++axes) {
        forms_.emplace(axes, combination_forms(axes, options.combinations));
    }
}

/// The search along the next parameter.
void SeriesSearch::add_search(std::span<const double> x, std::span<const Form> forms) {
    const std::size_t axis = searches_.size();
    searches_.emplace_back(x, axis, *options_, forms);
    if (options_->modeler == Modeler::segmented && x.size() < SegmentedSearch::fewest_values)
        too_few_for_segments_.push_back({.parameter = axis, .values = x.size()});
    if (!searches_.back().dropped_logarithms()) return;
    dropped_logarithms_.push_back({.parameter = axis, .smallest = *std::min_element(x.begin(), x.end())});
}

void SeriesSearch::fit(std::span<const double> values, Fit& fit) {
    if (parameters_ == 1) {
        fit_one_parameter(values, fit);
    } else {
        fit_several(values, fit);
    }
    if (fit.status == Status::ok && !is_finite(fit.function)) {
        fit.status = Status::failed;
        fit.reason = "a coefficient overflows: the values are too large beside the terms";
    }
}

void SeriesSearch::fit_one_parameter(std::span<const double> values, Fit& fit) {
    AxisSearch::Result result = searches_.front().fit(values);
    fit.function = std::move(result.function);
    fit.scores = result.scores;
    if (result.design != nullptr) {
        const std::span<const double> column = result.design->column();
        fit.quality = assess(fit.function, std::span(&column, 1), values);
    } else {
        fit.quality = assess(fit.function, points_, values);
    }
}

void SeriesSearch::fit_several(std::span<const double> values, Fit& fit) {
    std::vector<AxisTerm> terms;
    for (std::size_t axis = 0; axis < parameters_; ++axis) {
        plans_[axis].gather(values, scratch_);
        AxisSearch::Result model = searches_[axis].fit(scratch_);
        if (!model.is_constant()) terms.push_back({.axis = axis, .model = std::move(model)});
    }
    if (terms.empty()) {
        const SingleModel constant = constant_model(Values(values));
        fit.function.constant = constant.line.constant;
        fit.scores = constant.scores;
        fit.quality = assess(fit.function, std::span<const std::span<const double>>{}, values);
    } else if (terms.size() > most_axes) {
        fit.status = Status::failed;
        fit.reason =
            fmt::format("depends on {} parameters; forms of up to {} can be tried", terms.size(), most_axes);
    } else {
        take_combination(terms, values, fit);
    }
}

std::vector<double> SeriesSearch::axis_values(const AxisTerm& term) const {
    const std::vector<Factor> factors{term.factor()};
    std::vector<double> column;
    for (std::size_t begin = 0; begin < points_.size(); begin += parameters_) {
        column.push_back(factor_product(factors, std::span(points_).subspan(begin, parameters_)));
    }
    return column;
}

const ProductTable& SeriesSearch::table_of(std::span<const AxisTerm> terms) {
    std::vector<std::int64_t> key;
    bool cacheable = true;
    for (const AxisTerm& term : terms) {
        cacheable = cacheable && term.model.form.has_value();
        if (!cacheable) break;
        const Form& form = *term.model.form;
        key.insert(key.end(), {static_cast<std::int64_t>(term.axis), form.exponent.numerator(),
                               form.exponent.denominator(), form.log_exponent.numerator(),
                               form.log_exponent.denominator()});
    }
    if (cacheable) {
        if (const auto found = tables_.find(key); found != tables_.end()) return found->second;
    }
    std::vector<std::vector<double>> columns;
    for (const AxisTerm& term : terms) columns.push_back(axis_values(term));
    const std::vector<CombinationForm>& forms = forms_.at(terms.size());
    if (!cacheable) {
        uncached_ = std::make_unique<ProductTable>(columns, forms);
        return *uncached_;
    }
    if (tables_.size() >= most_tables) tables_.clear();
    return tables_.try_emplace(std::move(key), columns, forms).first->second;
}

/// Says so where other forms fit as well: which one is right matters for every point off the measured lines.
void SeriesSearch::report_equals(const Combination& best, std::span<const AxisTerm> terms, Fit& fit) {
    for (const CombinationForm* form : best.equals) {
        Function other;
        for (const std::uint32_t product : *form) {
            Term term{.coefficient = 1.0, .factors = {}};
            for (std::size_t i = 0; i < terms.size(); ++i) {
                if ((product >> i & 1U) != 0) term.factors.push_back(terms[i].factor());
            }
            other.terms.push_back(std::move(term));
        }
        fit.equals.push_back(std::move(other));
    }
}

void SeriesSearch::take_combination(std::span<const AxisTerm> terms, std::span<const double> values,
                                    Fit& fit) {
    const ProductTable& table = table_of(terms);
    const Combination best = table.choose(values, options_->combination_ranking);
    if (best.coefficients.empty()) {
        fit.status = Status::failed;
        fit.reason = "the terms overflow at the measured points";
        return;
    }
    report_equals(best, terms, fit);
    Function function;
    function.constant = best.coefficients[0];
    std::vector<std::span<const double>> columns;
    std::size_t factor_count = 0;
    for (std::size_t k = 0; k < best.form->size(); ++k) {
        const std::uint32_t product = (*best.form)[k];
        Term term{.coefficient = best.coefficients[k + 1], .factors = {}};
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if ((product >> i & 1U) != 0) term.factors.push_back(terms[i].factor());
        }
        factor_count += term.factors.size();
        columns.push_back(table.column(product));
        function.terms.push_back(std::move(term));
    }
    const auto predict = [&](const Function& f) {
        std::vector<double> predictions(values.size(), f.constant);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                predictions[i] += f.terms[k].coefficient * columns[k][i];
            }
        }
        return predictions;
    };
    fit.scores = score_predictions(predict(function), values, factor_count);
    if (terms.size() == 1) {
        // The axis's own coefficients, unless those fitted to all points are better.
        Function own = function;
        const Function& axis_model = terms.front().model.function;
        own.constant = axis_model.segments.empty() ? axis_model.constant : 0.0;
        own.terms.front().coefficient =
            axis_model.segments.empty() ? axis_model.terms.front().coefficient : 1.0;
        const SearchScores own_scores = score_predictions(predict(own), values, factor_count);
        const bool by_rss = options_->combination_ranking == Ranking::rss;
        const bool refitted =
            fit.scores.smape < own_scores.smape || (by_rss && fit.scores.rss < own_scores.rss);
        if (!refitted) {
            function = std::move(own);
            fit.scores = own_scores;
        }
    }
    fit.function = std::move(function);
    fit.quality = assess(fit.function, columns, values);
}

}  // namespace plimsoll::model::detail
