#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/render/documents.hpp"
#include "app/render/readable_formula.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;
using model::FormulaStyle;
using model::RegionModel;

/// Metrics in the order of their first region.
std::vector<std::string> metrics_of(const FitDocument& document) {
    std::vector<std::string> metrics;
    for (const RegionModel& m : document.models) {
        if (std::find(metrics.begin(), metrics.end(), m.metric) == metrics.end()) metrics.push_back(m.metric);
    }
    return metrics;
}

/// What a model is ranked by: its share at the last point, those without one last.
double rank_of(const RegionModel& m) {
    const double share = m.predictions.empty() ? 0.0 : m.predictions.back().share;
    return std::isfinite(share) ? share : -1.0;
}

/// Models of a metric, the largest share at the last point first.
std::vector<const RegionModel*> ranked(const FitDocument& document, const std::string& metric) {
    std::vector<const RegionModel*> models;
    for (const RegionModel& m : document.models) {
        if (m.metric == metric && m.status == model::Status::ok) models.push_back(&m);
    }
    std::stable_sort(models.begin(), models.end(),
                     [](const RegionModel* a, const RegionModel* b) { return rank_of(*a) > rank_of(*b); });
    return models;
}

std::string formulas_alone(const FitDocument& document, FormulaStyle formulas) {
    const std::vector<std::string> metrics = metrics_of(document);
    std::string text;
    for (const std::string& metric : metrics) {
        for (const RegionModel* m : ranked(document, metric)) {
            text += fmt::format("{}\t{}\t{}\n", m->region, metric,
                                model::formula(m->function, document.parameters, formulas));
        }
    }
    return text;
}

/// "90 % interval", empty where no model has any.
std::string interval_title(const std::vector<const RegionModel*>& models) {
    for (const RegionModel* const m : models) {
        for (const model::Prediction& p : m->predictions) {
            if (p.interval) return fmt::format("{:.4g} % interval", 100.0 * p.interval->coverage);
        }
    }
    return {};
}

std::string metric_table(const FitDocument& document, const std::string& metric, const Style& style) {
    const std::vector<const RegionModel*> models = ranked(document, metric);
    if (models.empty()) return {};
    const bool has_intervals = !interval_title(models).empty();
    std::vector<Table::Column> columns{{"share", Align::right}};
    for (const model::Prediction& p : models.front()->predictions) {
        columns.push_back({"at " + assignments(document.parameters, p.at), Align::right});
        if (has_intervals) columns.push_back({interval_title(models), Align::left});
    }
    columns.insert(columns.end(), {{"SMAPE", Align::right}, {"points", Align::right}, {"region"}, {"model"}});
    Table table(columns);
    for (const RegionModel* m : models) {
        std::vector<std::string> row{m->predictions.empty() ? "-" : percent(m->predictions.back().share)};
        for (const model::Prediction& p : m->predictions) {
            row.push_back(short_number(p.value));
            if (has_intervals) row.push_back(interval_text(p.interval));
        }
        row.push_back(fmt::format("{:.2f} %", m->quality.in_sample.smape));
        row.push_back(std::to_string(m->points));
        row.push_back(m->region);
        row.push_back(readable_formula(m->function, document));
        table.add(std::move(row));
    }
    return fmt::format("{}\n{}", style.bold(metric_title(metric, models.front()->unit)), table.text(style));
}

}  // namespace

std::string to_text(const FitDocument& document, std::optional<FormulaStyle> formulas, const Style& style) {
    if (formulas) return formulas_alone(document, *formulas);
    std::string text;
    for (const std::string& metric : metrics_of(document)) {
        const std::string table = metric_table(document, metric, style);
        if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
    }
    std::string without_model;
    for (const RegionModel& m : document.models) {
        if (m.status == model::Status::ok) continue;
        without_model +=
            fmt::format("  {}{}{}: {}\n", m.region, m.metric.empty() ? "" : " / ", m.metric, m.reason);
    }
    if (!without_model.empty()) {
        text +=
            fmt::format("{}{}\n{}", text.empty() ? "" : "\n", style.bold("without a model"), without_model);
    }
    return text;
}

std::string next_step(const FitDocument& document, const std::string& file) {
    std::vector<std::string> point;
    for (std::size_t k = 0; k < document.parameters.size(); ++k) {
        point.push_back(fmt::format("{}={}", document.parameters[k], shortest(4.0 * document.largest[k])));
    }
    const auto modelled = std::count_if(document.models.begin(), document.models.end(),
                                        [](const RegionModel& m) { return m.status == model::Status::ok; });
    return fmt::format("wrote {}: {}; next: plimsoll predict {} --at {}", file,
                       counted(static_cast<std::size_t>(modelled), "model"), file, join(point, ","));
}

}  // namespace plimsoll::app
