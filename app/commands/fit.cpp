#include "app/commands/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "app/options_record.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

model::FitDocument fit(const FitRequest& request, Progress& progress) {
    return fit(read_inputs(request.inputs, progress), request, progress);
}

model::FitDocument fit(const experiment::Experiment& experiment, const FitRequest& request,
                       Progress& progress) {
    const std::vector<std::string> parameters = experiment.parameter_names();
    std::vector<std::vector<double>> points;  // before the work, so that a mistyped point costs no time
    for (const std::string& at : request.at) points.push_back(parse_point(at, parameters));

    model::FitDocument document =
        model::make_document(experiment, model::fit_all(experiment, request.fit, request.threads, progress));
    document.options = record_options(request.fit, request.inputs.transform);
    document.inclusive = request.inputs.transform.tree == experiment::TreeAggregate::inclusive;
    for (std::string& remark : experiment::strong_scaling_remarks(experiment))
        document.notes.push_back(std::move(remark));
    if (request.inputs.transform.scaling == experiment::Scaling::strong) {
        document.notes.emplace_back(
            "modelled is the time of all processes together (p*t), not the time that passes");
    }
    if (points.empty()) points.push_back(document.largest);
    for (const std::vector<double>& point : points) model::predict(document, point, request.fit.coverage);
    return document;
}

std::vector<std::string> notes_of(const model::FitDocument& document) {
    std::vector<std::string> notes = document.notes;
    struct Warning {
        std::string text;
        std::vector<std::string> regions;
    };
    std::vector<Warning> warnings;  // in order of appearance
    std::unordered_map<std::string, std::size_t> known;
    for (const model::RegionModel& m : document.models) {
        for (const std::string& text : m.warnings) {
            const auto [entry, is_new] = known.try_emplace(text, warnings.size());
            if (is_new) warnings.push_back({.text = text, .regions = {}});
            std::vector<std::string>& regions = warnings[entry->second].regions;
            if (regions.empty() || regions.back() != m.region) regions.push_back(m.region);
        }
    }
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) {
        const Warning& warning = warnings[i];
        const std::size_t others = warning.regions.size() - 1;
        notes.push_back(fmt::format(
            "'{}'{}: {}", warning.regions.front(),
            others == 0 ? "" : fmt::format(" and {}", counted(others, "other region")), warning.text));
    }
    if (warnings.size() > most) {
        notes.push_back(fmt::format("{} more; --json lists all", counted(warnings.size() - most, "warning")));
    }
    return notes;
}

}  // namespace plimsoll::app
