#include "plimsoll/model/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "plimsoll/core/error.hpp"
#include "plimsoll/model/detail/posterior/name_function.hpp"
#include "plimsoll/model/detail/posterior/noise_evidence.hpp"
#include "plimsoll/model/formula.hpp"
#include "plimsoll/numeric/distribution.hpp"

namespace plimsoll::model {

namespace {

constexpr std::size_t most_forms = 10;
constexpr double enough_probability = 0.99;
constexpr double rounding = 1e-7;  // relative; below it residuals are no noise

/// The leading forms, and the named one wherever it stands.
void list_forms(const Posterior& posterior, Explanation& explanation) {
    const std::vector<std::size_t> named = detail::named_forms(posterior);
    double total = 0.0;
    double all = 0.0;  // as many as there are regimes on average, more than one where there may be several
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) all += posterior.forms.probability(i);
    const double regimes = std::max(all, 1.0);
    const double enough = enough_probability * regimes;
    for (std::size_t i = 0; i < posterior.forms.size(); ++i) {
        const double probability = posterior.forms.probability(i);
        const bool is_enough = explanation.forms.size() >= most_forms || total >= enough;
        const bool is_named = std::find(named.begin(), named.end(), i) != named.end();
        if (is_enough && !is_named) {
            ++explanation.other_forms;
            explanation.other_probability += probability / regimes;
            continue;
        }
        total += probability;
        explanation.forms.push_back({.probability = probability,
                                     .range = posterior.forms.range(i),
                                     .function = posterior.forms.function(i),
                                     .is_named = is_named});
    }
}

/// Standard deviation of a value of as many runs as the average point has, relative to its size.
struct Deviation {
    DeviationSource source = DeviationSource::none;
    double relative = std::numeric_limits<double>::quiet_NaN();
    double degrees_of_freedom = 0.0;
};

/// `residuals` are relative, and times the root of each point's share of the runs.
Deviation deviation_of(const detail::NoiseEvidence& noise, const Posterior& posterior,
                       std::span<const double> residuals) {
    if (!std::isnan(noise.run_deviation)) {
        const detail::NoisePrior& told = noise.priors.front();
        return {.source = DeviationSource::repetitions,
                .relative = std::sqrt(told.variance),
                .degrees_of_freedom = told.degrees_of_freedom};
    }
    std::size_t unknowns = 0;
    for (const std::size_t i : detail::named_forms(posterior)) {
        const WeighedForm form = posterior.forms[i];
        unknowns += (form.has_constant ? 1 : 0) + form.function.terms.size() + form.free_parameters.size();
    }
    if (residuals.size() <= unknowns) return {};
    double squares = 0.0;
    for (const double residual : residuals) squares += residual * residual;
    const auto freedom = static_cast<double>(residuals.size() - unknowns);
    return {.source = DeviationSource::residuals,
            .relative = std::max(std::sqrt(squares / freedom), rounding),
            .degrees_of_freedom = freedom};
}

}  // namespace

Explanation explain(const experiment::Experiment& experiment, const experiment::Series& series,
                    const Posterior& posterior, Statistic statistic, double coverage) {
    PLIMSOLL_EXPECT(!posterior.forms.empty());
    Explanation explanation;
    explanation.coverage = coverage;
    list_forms(posterior, explanation);
    if (!posterior.misfit.empty()) explanation.misfit = std::sqrt(posterior.misfit.variance);

    const detail::NoiseEvidence noise = detail::read_noise(series, statistic);
    explanation.noise = detail::noise_of(experiment, series, noise);

    // Noise is relative to each value, but to one size for all where values have both signs.
    const std::size_t n = series.measurements.size();
    double squares = 0.0;
    bool has_negative = false;
    for (const double value : noise.values) {
        squares += value * value;
        has_negative = has_negative || value < 0.0;
    }
    const double common_size = std::sqrt(squares / static_cast<double>(n));
    std::vector<double> residuals;
    for (std::size_t i = 0; i < n; ++i) {
        const experiment::Measurement& m = series.measurements[i];
        const auto at = experiment.point(m.point);
        const Estimate modelled = estimate(posterior, at, coverage);
        const double residual = noise.values[i] - modelled.value;
        const double size = has_negative ? common_size : std::abs(modelled.value);
        residuals.push_back(residual == 0.0 ? 0.0 : residual / size * std::sqrt(noise.runs[i]));
        explanation.points.push_back(
            {.at = {at.begin(), at.end()},
             .repetitions = m.repetitions,
             .measured = noise.values[i],
             .modelled = modelled,
             .residual = residual == 0.0 ? 0.0 : residual / std::abs(modelled.value)});
    }
    const Deviation deviation = deviation_of(noise, posterior, residuals);
    explanation.source = deviation.source;
    explanation.deviation = deviation.relative;
    if (deviation.source != DeviationSource::none)
        explanation.limit = numeric::student_limit(1.0 - coverage, deviation.degrees_of_freedom);
    for (std::size_t i = 0; i < n; ++i) {
        ExplainedPoint& point = explanation.points[i];
        point.deviations = residuals[i] / deviation.relative;
        point.is_outside = std::abs(point.deviations) > explanation.limit;
    }
    std::stable_sort(explanation.points.begin(), explanation.points.end(),
                     [](const ExplainedPoint& a, const ExplainedPoint& b) { return a.at < b.at; });
    return explanation;
}

void write(JsonWriter& json, const Explanation& explanation, const std::vector<std::string>& parameters) {
    json.begin_object().key("forms").begin_array();
    for (const ExplainedForm& form : explanation.forms) {
        json.begin_object().member("formula", formula(form.function, parameters));
        if (!form.range.is_everywhere()) json.member("from", form.range.from).member("to", form.range.to);
        json.member("probability", form.probability).member("named", form.is_named).end_object();
    }
    json.end_array().member("other_forms", explanation.other_forms);
    json.member("other_probability", explanation.other_probability).key("noise");
    write(json, explanation.noise, parameters);
    json.member("misfit", explanation.misfit);
    json.member("coverage", explanation.coverage).member("deviation_from", enum_name(explanation.source));
    json.member("deviation", explanation.deviation)
        .member("limit", explanation.limit)
        .key("points")
        .begin_array();
    for (const ExplainedPoint& point : explanation.points) {
        json.begin_object().numbers("at", parameters, point.at);
        json.member("repetitions", point.repetitions).member("measured", point.measured);
        json.member("modelled", point.modelled.value).key("interval").begin_object();
        json.member("coverage", explanation.coverage).member("low", point.modelled.low);
        json.member("high", point.modelled.high).end_object().member("residual", point.residual);
        json.member("deviations", point.deviations).member("outside", point.is_outside).end_object();
    }
    json.end_array().end_object();
}

}  // namespace plimsoll::model
