#include "plimsoll/model/quality.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "plimsoll/core/error.hpp"
#include "plimsoll/numeric/centered_design.hpp"
#include "plimsoll/numeric/summary.hpp"

namespace plimsoll::model {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Sum of squares about the mean; 0 where it is no more than the rounding of the mean.
double spread_of(std::span<const double> values) {
    const double mean = numeric::mean(values);
    double spread = 0.0;
    for (const double value : values) spread += (value - mean) * (value - mean);
    const auto n = static_cast<double>(values.size());
    const double rounding =
        n * std::numeric_limits<double>::epsilon() * mean;  // each addition may lose as much
    return spread > n * rounding * rounding ? spread : 0.0;
}

Fitness fitness_of(std::span<const double> predictions, std::span<const double> values, std::size_t terms) {
    Fitness fitness{.rss = 0.0, .smape = 0.0};
    const auto n = static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double d = std::abs(predictions[i] - values[i]);
        const double scale = std::abs(predictions[i]) + std::abs(values[i]);
        fitness.rss += d * d;
        if (scale != 0.0) fitness.smape += 200.0 * d / scale / n;
    }
    const double spread = spread_of(values);
    const double freedom = n - static_cast<double>(terms) - 1.0;
    if (spread > 0.0) fitness.r2 = 1.0 - fitness.rss / spread;
    if (freedom > 0.0) fitness.adjusted_r2 = 1.0 - (1.0 - fitness.r2) * (n - 1.0) / freedom;
    return fitness;
}

/// Number of terms, those of all segments together.
std::size_t count_terms(const Function& function) {
    std::size_t count = function.terms.size();
    for (const Segment& segment : function.segments) count += count_terms(segment.function) + 1;
    return function.segments.empty() ? count : count - 1;
}

std::vector<double> term_values(const Term& term, std::span<const double> points, std::size_t parameters) {
    std::vector<double> column;
    for (std::size_t begin = 0; begin < points.size(); begin += parameters) {
        column.push_back(factor_product(term.factors, points.subspan(begin, parameters)));
    }
    return column;
}

/// Predictions of the points of one function without segments from each other, put in their places.
void predict_from_others(const Function& function, std::span<const double> points, std::size_t parameters,
                         std::span<const double> values, std::span<const std::size_t> places,
                         std::span<double> predictions) {
    std::vector<double> own_points;
    std::vector<double> own_values;
    for (const std::size_t i : places) {
        own_points.insert(own_points.end(), points.begin() + static_cast<std::ptrdiff_t>(i * parameters),
                          points.begin() + static_cast<std::ptrdiff_t>((i + 1) * parameters));
        own_values.push_back(values[i]);
    }
    std::vector<std::vector<double>> columns;
    for (const Term& term : function.terms) columns.push_back(term_values(term, own_points, parameters));
    const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
    const std::vector<double> own_predictions = numeric::predict_each_from_others(spans, own_values);
    for (std::size_t i = 0; i < places.size(); ++i) predictions[places[i]] = own_predictions[i];
}

}  // namespace

Quality assess(const Function& function, std::span<const std::span<const double>> columns,
               std::span<const double> values) {
    PLIMSOLL_EXPECT(function.segments.empty() && function.terms.size() == columns.size());
    std::vector<double> predictions(values.size(), function.constant);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            predictions[i] += function.terms[k].coefficient * columns[k][i];
        }
    }
    return {.in_sample = fitness_of(predictions, values, columns.size()),
            .leave_one_out =
                fitness_of(numeric::predict_each_from_others(columns, values), values, columns.size())};
}

Quality assess(const Function& function, std::span<const double> points, std::span<const double> values) {
    PLIMSOLL_EXPECT(!values.empty() && points.size() % values.size() == 0);
    const std::size_t parameters = points.size() / values.size();
    std::vector<double> predictions;
    std::map<const Function*, std::vector<std::size_t>>
        places;  // of the points, by the segment that they lie in
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::span<const double> point = points.subspan(i * parameters, parameters);
        predictions.push_back(function(point));
        const Function* responsible = &function;
        for (const Segment& segment : function.segments) {
            const double x = point[function.segment_parameter];
            if (x >= segment.from && x <= segment.to) {
                responsible = &segment.function;
                break;
            }
        }
        places[responsible].push_back(i);
    }
    std::vector<double> from_others(values.size(), nan);
    for (const auto& [segment, own] : places) {
        predict_from_others(*segment, points, parameters, values, own, from_others);
    }
    const std::size_t terms = count_terms(function);
    return {.in_sample = fitness_of(predictions, values, terms),
            .leave_one_out = fitness_of(from_others, values, terms)};
}

}  // namespace plimsoll::model
