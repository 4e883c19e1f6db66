#include "app/commands/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/model/document.hpp"

namespace plimsoll::app {

namespace {

/// An error that says what a file of models is, where one was given in place of measurements.
void refuse_models(const Error& error) {
    const std::string& file = error.place().file;
    std::error_code ignored;
    if (error.kind() != ErrorKind::input || !std::filesystem::is_regular_file(file, ignored)) return;
    Input input(file);
    if (!model::is_document(input)) return;
    throw Error(ErrorKind::input, Place{.file = file}, "holds models, not measurements",
                fmt::format("predict by them: plimsoll predict {} --at ...", file));
}

}  // namespace

experiment::Experiment read_inputs(const Inputs& inputs, Progress& progress) try {
    return experiment::transform(experiment::read(inputs.paths, inputs.read, progress), inputs.transform);
} catch (const Error& error) {
    refuse_models(error);
    throw;
}

std::vector<double> parse_point(const std::string& text, const std::vector<std::string>& parameters) {
    const std::string wanted = fmt::format("give a value for each of {}, such as --at {}=4096",
                                           join(parameters, ", "), join(parameters, "=4096,"));
    std::vector<std::optional<double>> values(parameters.size());
    for (const std::string_view piece : split(text, ',')) {
        const std::size_t equals = piece.find('=');
        if (equals == std::string_view::npos) {
            throw Error(ErrorKind::usage, fmt::format("--at: '{}' is not of the form name=value", piece),
                        wanted);
        }
        const std::string name(trim(piece.substr(0, equals)));
        const auto found = std::find(parameters.begin(), parameters.end(), name);
        if (found == parameters.end()) {
            const auto near = nearest(name, parameters);
            throw Error(ErrorKind::usage, fmt::format("--at: there is no parameter '{}'", name),
                        near ? fmt::format("did you mean '{}'?", *near) : wanted);
        }
        auto& value = values[static_cast<std::size_t>(found - parameters.begin())];
        if (value) throw Error(ErrorKind::usage, fmt::format("--at: '{}' is given twice", name), wanted);
        value = parse_number(trim(piece.substr(equals + 1)));
        if (!value || !std::isfinite(*value)) {
            throw Error(ErrorKind::usage, fmt::format("--at: '{}' has no finite number", piece), wanted);
        }
    }
    std::vector<double> point;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (!values[k])
            throw Error(ErrorKind::usage, fmt::format("--at: '{}' is missing in '{}'", parameters[k], text),
                        wanted);
        point.push_back(*values[k]);
    }
    return point;
}

}  // namespace plimsoll::app
