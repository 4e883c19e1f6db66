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
#include "plimsoll/profile/collector.hpp"

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

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code failure;  // a file that is not there is told by whoever opens it
    return std::filesystem::equivalent(a, b, failure) && !failure;
}

/// Whether a path lies in a folder.
bool lies_in(const std::string& path, const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code failure;
    const fs::path whole = fs::canonical(path, failure);
    const fs::path above = failure ? fs::path() : fs::canonical(folder, failure);
    if (failure || whole == above || !fs::is_directory(above, failure)) return false;
    return std::mismatch(above.begin(), above.end(), whole.begin(), whole.end()).first == above.end();
}

void refuse_twice(const std::vector<std::string>& paths) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_text = paths[i] == "-" || paths[j] == "-";
            if (is_text ? paths[i] != paths[j] : !is_same_file(paths[i], paths[j])) continue;
            throw Error(ErrorKind::usage, fmt::format("the input '{}' is given twice", paths[i]),
                        "name each input once, since its values would count as further repetitions");
        }
        for (std::size_t j = 0; j < paths.size(); ++j) {
            if (i == j || paths[i] == "-" || paths[j] == "-" || !lies_in(paths[i], paths[j])) continue;
            throw Error(ErrorKind::usage,
                        fmt::format("the input '{}' lies in the input '{}', and would be read twice",
                                    paths[i], paths[j]),
                        "name the folder alone");
        }
    }
}

}  // namespace

void refuse_output_over_input(const std::string& output, const std::vector<std::string>& inputs) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (output.empty() || output == "-" || !fs::exists(output, ignored)) return;
    const auto refuse = [&](const std::string& file) {
        throw Error(ErrorKind::usage, fmt::format("the output '{}' is the input '{}'", output, file),
                    "name another file with -o");
    };
    for (const std::string& input : inputs) {
        if (input == "-") continue;
        if (is_same_file(output, input)) refuse(input);
        if (!fs::is_directory(input, ignored)) continue;
        for (fs::recursive_directory_iterator it(input, ignored), end; it != end; it.increment(ignored)) {
            const std::string file = it->path().string();
            if (!is_same_file(output, file) || !it->is_regular_file(ignored)) continue;
            Input content(file);  // models that were written there before are no input
            if (!model::is_document(content)) refuse(file);
        }
    }
}

experiment::Experiment read_inputs(const Inputs& inputs, Progress& progress, Details details) try {
    refuse_twice(inputs.paths);
    experiment::ReadOptions options = inputs.read;
    const bool may_need_processes = inputs.transform.scaling == experiment::Scaling::strong;
    if (may_need_processes && options.constants == experiment::ConstantParameters::leave_out) {
        options.constants = experiment::ConstantParameters::keep_outside_folders;
    }
    profile::Collector profiles(inputs.profiles);
    experiment::Experiment runs = experiment::read(inputs.paths, options, progress, &profiles);
    if (details == Details::no)
        std::erase_if(runs.notes, [](const experiment::Note& note) { return note.is_detail; });
    return experiment::transform(std::move(runs), inputs.transform);
} catch (const Error& error) {
    refuse_models(error);
    throw;
}

std::vector<double> parse_point(const std::string& text, const std::vector<std::string>& parameters,
                                const std::vector<double>& smallest, const std::vector<double>& largest) {
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
        const bool is_constant = k < smallest.size() && k < largest.size() && smallest[k] == largest[k];
        if (!values[k] && is_constant) values[k] = smallest[k];
        if (!values[k])
            throw Error(ErrorKind::usage, fmt::format("--at: '{}' is missing in '{}'", parameters[k], text),
                        wanted);
        point.push_back(*values[k]);
    }
    return point;
}

}  // namespace plimsoll::app
