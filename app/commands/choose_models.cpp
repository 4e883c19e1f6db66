#include "app/commands/choose_models.hpp"

#include <set>
#include <utility>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::app {

void choose_models(model::FitDocument& document, const experiment::TransformOptions& options) {
    if (options.regions.empty() && options.region_expression.empty() && options.metrics.empty()) return;
    if (document.models.empty()) return;
    // An experiment of nothing but these names, so that patterns mean the same and fail alike.
    experiment::ExperimentBuilder builder;
    const std::vector<std::string> parameters{"x"};
    const std::vector<double> zero{0.0};
    builder.set_parameters(parameters, {});
    const experiment::PointId point = builder.point(zero, {});
    for (const model::RegionModel& m : document.models) {
        builder.add_repetition(builder.series(builder.region(m.region), builder.metric(m.metric)), point,
                               zero, {});
    }
    experiment::TransformOptions choice;
    choice.regions = options.regions;
    choice.region_expression = options.region_expression;
    choice.metrics = options.metrics;
    const experiment::Experiment chosen = experiment::transform(builder.build(), choice);

    std::set<std::pair<std::string, std::string>> kept;
    for (const experiment::Series& series : chosen.series) {
        kept.emplace(chosen.region(series).path, chosen.metric(series).name);
    }
    std::erase_if(document.models, [&](const model::RegionModel& m) {
        return !kept.contains({m.region, m.metric});
    });
    for (const experiment::Note& note : chosen.notes) document.notes.push_back(to_text(note));
}

}  // namespace plimsoll::app
