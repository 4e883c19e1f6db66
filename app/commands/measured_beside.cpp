#include "app/commands/measured_beside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

namespace {

/// Whether a parameter has more than one value.
bool varies(const experiment::Experiment& experiment, std::size_t axis) {
    for (std::size_t i = 1; i < experiment.point_count(); ++i) {
        const auto id = static_cast<experiment::PointId>(i);
        if (experiment.point(id)[axis] != experiment.point({})[axis]) return true;
    }
    return false;
}

}  // namespace

void expect_same_treatment(const experiment::Experiment& experiment,
                           const experiment::TransformOptions& transform, const Place& place) {
    const experiment::Scaling scaling = experiment.scaling.value_or(experiment::Scaling::weak);
    if (scaling != transform.scaling) {
        throw Error(ErrorKind::input, place,
                    fmt::format("was converted to {} scaling, and the models are of {} scaling",
                                enum_name(scaling), enum_name(transform.scaling)),
                    fmt::format("compare with the original measurements, or fit with --scaling {}",
                                enum_name(scaling)));
    }
    if (experiment.inclusive && transform.tree != experiment::TreeAggregate::inclusive) {
        throw Error(ErrorKind::input, place, "holds inclusive values, and the models are of exclusive ones",
                    "compare with the original measurements, or fit with --tree inclusive");
    }
}

MeasuredBeside read_beside(const ModelsRequest& models, const model::FitDocument& document,
                           const std::vector<std::string>& paths, const std::string& use,
                           Progress& progress) {
    Inputs inputs = models.fit.inputs;
    inputs.paths = paths;
    inputs.read.constants = experiment::ConstantParameters::keep;
    MeasuredBeside beside{.experiment = read_inputs(inputs, progress), .axis_of = {}};
    const experiment::Experiment& experiment = beside.experiment;
    const Place place{.file = paths.front()};
    const std::string hint = use + " measurements of the same parameters";
    expect_same_treatment(experiment, inputs.transform, place);
    for (const std::string& name : document.parameters) {
        const auto axis = experiment.find_parameter(name);
        if (!axis) {
            throw Error(ErrorKind::input, place,
                        fmt::format("has no parameter '{}', on which the models depend", name), hint);
        }
        beside.axis_of.push_back(*axis);
    }
    for (std::size_t axis = 0; axis < experiment.parameters.size(); ++axis) {
        if (std::find(beside.axis_of.begin(), beside.axis_of.end(), axis) != beside.axis_of.end() ||
            !varies(experiment, axis))
            continue;
        throw Error(ErrorKind::input, place,
                    fmt::format("the parameter '{}' varies, which the models do not know",
                                experiment.parameters[axis].name),
                    hint);
    }
    return beside;
}

}  // namespace plimsoll::app
