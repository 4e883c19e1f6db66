#include "app/commands/models.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/commands/choose_models.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/profile/collector.hpp"

namespace plimsoll::app {

namespace {

using model::FitDocument;

/// Sets an option to what the record of a run says of it, if anything.
template <NamedEnum Enum>
void restore(const FitDocument& document, std::string_view name, Enum& value) {
    for (const auto& entry : enum_names(value)) {
        if (entry.name == recorded_option(document, name)) value = entry.value;
    }
}

void restore(const FitDocument& document, std::string_view name, std::string& value) {
    const std::string_view recorded = recorded_option(document, name);
    if (!recorded.empty()) value = recorded;
}

/// The request then says how the measurements of the models were treated, for those to compare with.
void restore_treatment(const FitDocument& document, ModelsRequest& request) {
    experiment::TransformOptions& transform = request.fit.inputs.transform;
    restore(document, "statistic", request.fit.fit.statistic);
    restore(document, "scaling", transform.scaling);
    restore(document, "processes-parameter", transform.processes_parameter);
    restore(document, "ranks", transform.ranks);
    restore(document, "tree", transform.tree);
}

/// Models from a file. The request then says how their measurements were read, for those to compare with.
FitDocument stored_models(Input& input, ModelsRequest& request) {
    if (!request.search_options.empty()) {
        const std::string& option = request.search_options.front();
        throw Error(ErrorKind::usage, Place{.file = input.name()},
                    fmt::format("holds models already, so {} has no effect", option),
                    "leave it out, or give it to 'plimsoll fit'");
    }
    FitDocument document = model::read_document(input);
    restore_treatment(document, request);
    choose_models(document, request.fit.inputs.transform);
    return document;
}

}  // namespace

bool holds_models(const std::string& path) {
    std::error_code ignored;
    if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
    Input input(path);
    return model::is_document(input);
}

model::FitDocument models_of(ModelsRequest& request, Progress& progress) {
    std::optional<experiment::Experiment> ignored;
    return models_of(request, progress, ignored);
}

model::FitDocument models_of(ModelsRequest& request, Progress& progress,
                             std::optional<experiment::Experiment>& experiment) {
    FitRequest without_points = request.fit;
    without_points.at.clear();
    const auto fitted = [&](experiment::Experiment measured) {
        experiment = std::move(measured);
        FitDocument document = fit(*experiment, without_points, progress);
        for (model::RegionModel& m : document.models) m.predictions.clear();
        restore_treatment(document, request);  // a file may state that it was converted
        return document;
    };
    std::error_code ignored;
    const std::vector<std::string>& paths = request.fit.inputs.paths;
    if (paths.size() != 1 || std::filesystem::is_directory(paths.front(), ignored)) {
        return fitted(read_inputs(request.fit.inputs, progress));
    }
    Input input = experiment::open_input(paths.front(), request.fit.inputs.read);
    if (model::is_document(input)) return stored_models(input, request);
    if (std::filesystem::is_regular_file(paths.front(), ignored)) {
        return fitted(read_inputs(request.fit.inputs, progress));
    }
    experiment::ExperimentBuilder builder;  // a pipe cannot be opened again
    if (request.fit.inputs.transform.scaling == experiment::Scaling::strong)
        builder.keep_constant_parameters();
    Activity activity(progress, "reading", 0);
    input.count_for(activity);
    profile::Collector profiles(request.fit.inputs.profiles);
    experiment::read(input, builder, request.fit.inputs.read, &profiles);
    return fitted(experiment::transform(builder.build(), request.fit.inputs.transform));
}

}  // namespace plimsoll::app
