#include "app/report/model_values.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "plimsoll/core/parallel.hpp"
#include "plimsoll/experiment/call_path.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;
using model::RegionModel;

/// Whether a model's value counts in the total of its metric; inclusive ones do where no region above has
/// any.
std::vector<bool> counted_in_totals(const FitDocument& document) {
    std::set<std::pair<std::string_view, std::string_view>> modelled;  // metric, region
    for (const RegionModel& m : document.models) {
        if (document.inclusive && m.status == model::Status::ok) modelled.emplace(m.metric, m.region);
    }
    std::vector<bool> counts;
    counts.reserve(document.models.size());
    for (const RegionModel& m : document.models) {
        bool is_outermost = true;
        if (document.inclusive) {
            std::string_view above = experiment::path_above(m.region);
            for (; !above.empty() && is_outermost; above = experiment::path_above(above))
                is_outermost = !modelled.contains({m.metric, above});
        }
        counts.push_back(m.status == model::Status::ok && is_outermost);
    }
    return counts;
}

}  // namespace

ModelValues model_values(const FitDocument& document, model::Grid grid, double coverage, int threads,
                         Progress& progress) {
    const std::size_t points = grid.size();
    ModelValues values;
    values.models = document.models.size();
    const bool has_intervals = std::any_of(document.models.begin(), document.models.end(),
                                           [](const RegionModel& m) { return !m.posterior.forms.empty(); });
    values.value.assign(points * values.models, ModelValues::unknown);
    if (has_intervals) {
        values.low = values.value;
        values.high = values.value;
    }
    for (const RegionModel& m : document.models) {
        const auto found = std::find_if(values.metrics.begin(), values.metrics.end(),
                                        [&](const MetricTotal& metric) { return metric.metric == m.metric; });
        values.metric_of.push_back(static_cast<std::size_t>(found - values.metrics.begin()));
        if (found == values.metrics.end())
            values.metrics.push_back(
                {.metric = m.metric, .unit = m.unit, .totals = std::vector<double>(points, 0.0)});
    }
    {
        Activity activity(progress, "predicting", static_cast<std::int64_t>(values.models));
        parallel_for(values.models, threads, activity, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const RegionModel& m = document.models[k];
                if (m.status != model::Status::ok) continue;
                const model::GridEstimates estimates = model::grid_estimates(
                    m.posterior, m.function, grid, coverage, 1, silent(), model::GridEnds::both);
                const bool has_interval = !m.posterior.forms.empty();
                for (std::size_t i = 0; i < points; ++i) {
                    const std::size_t place = values.place(i, k);
                    values.value[place] = static_cast<float>(estimates.value[i]);
                    if (!has_interval) continue;
                    values.low[place] = static_cast<float>(estimates.low[i]);
                    values.high[place] = static_cast<float>(estimates.high[i]);
                }
            }
        });
    }
    const std::vector<bool> counts = counted_in_totals(document);
    for (std::size_t i = 0; i < points; ++i) {
        for (std::size_t k = 0; k < values.models; ++k) {
            const double value = values.value[values.place(i, k)];
            if (counts[k] && std::isfinite(value) && value > 0.0)
                values.metrics[values.metric_of[k]].totals[i] += value;
        }
    }
    values.grid = std::move(grid);
    return values;
}

}  // namespace plimsoll::app
