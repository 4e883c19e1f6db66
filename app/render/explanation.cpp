#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/render/documents.hpp"
#include "app/render/readable_formula.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::Explanation;
using model::FitDocument;
using model::RegionModel;

std::string percent_of(double relative, int digits) {
    return std::isfinite(relative) ? fmt::format("{:.{}f} %", 100.0 * relative, digits) : "-";
}

/// With its sign, but for what is rounded to zero; "-" where it is not finite.
std::string signed_number(double value, int digits) {
    if (!std::isfinite(value)) return "-";
    const bool is_zero = std::abs(value) < 0.5 * std::pow(10.0, -digits);
    return is_zero ? fmt::format("{:.{}f}", 0.0, digits) : fmt::format("{:+.{}f}", value, digits);
}

std::string signed_percent(double relative) {
    return signed_number(100.0 * relative, 2) + (std::isfinite(relative) ? " %" : "");
}

std::string interval_title(const Explanation& explanation) {
    return fmt::format("{:.4g} % interval", 100.0 * explanation.coverage);
}

/// Where a form counts, if not everywhere.
std::string range_text(const model::Range& range, const FitDocument& document) {
    if (range.is_everywhere()) return "";
    const std::string& name = document.parameters.front();
    if (range.is_first()) return fmt::format(" for {} < {}", name, shortest(range.to));
    if (range.is_last()) return fmt::format(" for {} > {}", name, shortest(range.from));
    return fmt::format(" for {} < {} < {}", shortest(range.from), name, shortest(range.to));
}

std::string forms_text(const Explanation& explanation, const FitDocument& document, const Style& style) {
    Table table({{"probability", Align::right}, {"form"}});
    for (const model::ExplainedForm& form : explanation.forms) {
        table.add({percent(form.probability), readable_formula(form.function, document) +
                                                  range_text(form.range, document) +
                                                  (form.is_named ? "  (the model)" : "")});
    }
    if (explanation.other_forms > 0) {
        table.add({percent(explanation.other_probability), counted(explanation.other_forms, "other form")});
    }
    return table.text(style);
}

std::string outliers_text(const RegionModel& m, const FitDocument& document, const Style& style) {
    constexpr std::size_t most = 5;
    const std::vector<model::Outlier>& outliers = m.explanation->noise.outliers;
    if (outliers.empty()) return "outliers: none\n";
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < std::min(most, outliers.size()); ++i) {
        pieces.push_back(fmt::format("{} at {}, beside a median of {}", with_unit(outliers[i].value, m.unit),
                                     assignments(document.parameters, outliers[i].at),
                                     with_unit(outliers[i].median, m.unit)));
    }
    if (outliers.size() > most) pieces.push_back(fmt::format("{} more", outliers.size() - most));
    return fmt::format("{} {}\n", style.warning("outliers:"), join(pieces, "; "));
}

/// What was read off the repetitions.
std::string noise_text(const RegionModel& m, const FitDocument& document, const Style& style) {
    const Explanation& e = *m.explanation;
    if (e.source != model::DeviationSource::repetitions) {
        return e.source == model::DeviationSource::none
                   ? "noise: unknown, without repetitions\n"
                   : fmt::format("noise: unknown, without repetitions; points lie {} from the model\n",
                                 percent_of(e.deviation, 2));
    }
    std::string text = fmt::format("noise of one run: {}\n", percent_of(e.noise.run_deviation, 2));
    text += e.noise.drifts
                ? style.warning("drift:") +
                      " each repetition lies near the one before, so only the first ones are used\n"
                : "drift: none\n";
    text += outliers_text(m, document, style);
    if (e.misfit > 0.0) {
        text += fmt::format("misfit: neighbouring points lie {} off all forms in common\n",
                            percent_of(e.misfit, 2));
    }
    return text;
}

std::string points_text(const RegionModel& m, const FitDocument& document, const Style& style) {
    const Explanation& e = *m.explanation;
    std::vector<Table::Column> columns;
    for (const std::string& name : document.parameters) columns.push_back({name, Align::right});
    columns.insert(columns.end(), {{"repetitions", Align::right},
                                   {"measured", Align::right},
                                   {"modelled", Align::right},
                                   {interval_title(e)},
                                   {"residual", Align::right},
                                   {"deviations", Align::right}});
    const bool has_limit = std::isfinite(e.limit);
    if (has_limit) columns.push_back({fmt::format("beyond {:.2f}", e.limit)});
    Table table(columns);
    for (const model::ExplainedPoint& point : e.points) {
        std::vector<std::string> row;
        for (const double x : point.at) row.push_back(shortest(x));
        row.push_back(point.repetitions == 0 ? "?" : std::to_string(point.repetitions));
        row.push_back(short_number(point.measured));
        row.push_back(short_number(point.modelled.value));
        row.push_back(interval_text(model::Prediction::Interval{
            .coverage = e.coverage, .low = point.modelled.low, .high = point.modelled.high}));
        row.push_back(signed_percent(point.residual));
        row.push_back(signed_number(point.deviations, 1));
        if (has_limit) row.emplace_back(point.is_outside ? "outside" : "-");
        table.add(std::move(row));
    }
    return table.text(style);
}

/// Predictions elsewhere than at measured points.
std::string predictions_text(const RegionModel& m, const FitDocument& document, const Style& style) {
    Table table({{"at"}, {"predicted", Align::right}, {interval_title(*m.explanation)}});
    for (const model::Prediction& prediction : m.predictions) {
        const auto& points = m.explanation->points;
        const bool is_measured = std::any_of(points.begin(), points.end(),
                                             [&](const auto& point) { return point.at == prediction.at; });
        if (is_measured) continue;
        table.add({assignments(document.parameters, prediction.at), with_unit(prediction.value, m.unit),
                   interval_text(prediction.interval)});
    }
    return table.empty() ? "" : "\n" + table.text(style);
}

std::string quality_text(const RegionModel& m, const Style& style) {
    Table table({{"quality"},
                 {"SMAPE", Align::right},
                 {"R2", Align::right},
                 {"adjusted R2", Align::right},
                 {"RSS", Align::right}});
    const auto add = [&](const char* name, const model::Fitness& fitness) {
        table.add({name, percent_of(0.01 * fitness.smape, 2), short_number(fitness.r2),
                   short_number(fitness.adjusted_r2), short_number(fitness.rss)});
    };
    add("in sample", m.quality.in_sample);
    add("leave one out", m.quality.leave_one_out);
    return table.text(style);
}

}  // namespace

std::string explanations_text(const FitDocument& document, const std::vector<std::string>& patterns,
                              const Style& style) {
    std::string text;
    for (const RegionModel& m : document.models) {
        const auto fits = [&](const std::string& pattern) { return glob_match(pattern, m.region); };
        if (std::none_of(patterns.begin(), patterns.end(), fits)) continue;
        text += (text.empty() ? "" : "\n") +
                style.bold(fmt::format("{}, {}", m.region, metric_title(m.metric, m.unit))) + "\n";
        if (!m.explanation) {
            text += fmt::format("no model: {}\n", m.reason);
            continue;
        }
        text += forms_text(*m.explanation, document, style) + "\n" + noise_text(m, document, style) + "\n" +
                points_text(m, document, style) + predictions_text(m, document, style) + "\n" +
                quality_text(m, style);
    }
    return text;
}

}  // namespace plimsoll::app
