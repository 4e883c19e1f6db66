#include "app/commands/training_models.hpp"

#include <algorithm>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/training/measurements.hpp"

namespace plimsoll::app {

namespace {

/// Steps are times of one process: sums over all are none.
void refuse_sums(const experiment::TransformOptions& transform) {
    constexpr const char* hint = "leave it out: the time of all processes together is no time of a step";
    if (transform.scaling == experiment::Scaling::strong)
        throw Error(ErrorKind::usage, "--scaling: 'strong' does not go with training", hint);
    if (transform.ranks == experiment::RankAggregate::sum)
        throw Error(ErrorKind::usage, "--ranks: 'sum' does not go with training", hint);
}

/// Where times fall with the processes, steps are of one batch that all share; the note for other programs
/// names an option that does not go with trainings.
void tell_of_global_batches(training::BatchIs batch_is, model::FitDocument& models) {
    const auto is_of_strong_scaling = [](const std::string& note) {
        return note.find("--scaling strong") != std::string::npos;
    };
    if (std::erase_if(models.notes, is_of_strong_scaling) == 0 || batch_is == training::BatchIs::global)
        return;
    models.notes.emplace_back(
        "times fall with the processes: where these share one batch, --batch is its size and --batch-is "
        "global says so");
}

}  // namespace

TrainingModels models_of_training(ModelsRequest& request, training::BatchIs batch_is, Progress& progress) {
    Inputs& inputs = request.fit.inputs;
    refuse_sums(inputs.transform);
    if (inputs.paths.size() == 1 && holds_models(inputs.paths.front()))
        return {.models = models_of(request, progress), .measurements = {}};
    Inputs as_read = inputs;
    as_read.transform = {};
    experiment::Experiment measurements = training::training_measurements(read_inputs(as_read, progress));
    if (measurements.series.empty()) {
        throw Error(
            ErrorKind::input, Place{.file = inputs.paths.front()}, "no step is marked",
            "profile steps that are marked: prof.step() of the PyTorch profiler, or NVTX ranges such as "
            "'step 12'; or see --steps");
    }
    measurements = experiment::transform(std::move(measurements), inputs.transform);
    FitRequest fitting = request.fit;
    fitting.at.clear();
    model::FitDocument models = fit(measurements, fitting, progress);
    tell_of_global_batches(batch_is, models);
    return {.models = std::move(models), .measurements = std::move(measurements)};
}

std::optional<training::SampleNeed> sample_need(const std::string& file, const ModelsRequest& steps,
                                                Progress& progress) {
    if (file.empty()) return std::nullopt;
    ModelsRequest samples;
    samples.fit.inputs.paths = {file};
    samples.fit.fit = steps.fit.fit;
    samples.fit.threads = steps.fit.threads;
    try {
        return training::SampleNeed(models_of(samples, progress), steps.fit.fit.coverage);
    } catch (const Error& error) {
        if (!error.place().file.empty()) throw;
        throw Error(error.kind(), Place{.file = file}, error.what(), error.hint());
    }
}

}  // namespace plimsoll::app
