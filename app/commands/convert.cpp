#include "app/commands/convert.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/experiment/writer.hpp"

namespace plimsoll::app {

namespace {

/// By the ending of a file's name; throws a usage error for those of formats that are read alone.
OutputFormat format_by_name(const std::string& file) {
    if (file.ends_with(".extra-p")) return OutputFormat::extra_p;
    for (const std::string_view ending : {".csv", ".tsv", ".cubex", ".json", ".txt", ".xlsx", ".parquet"}) {
        if (!file.ends_with(ending)) continue;
        throw Error(ErrorKind::usage, fmt::format("'{}' files cannot be written", ending),
                    "name a file that ends in .jsonl or .extra-p, or tell the format with --to");
    }
    return OutputFormat::json_lines;
}

std::vector<ConvertedParameter> parameters_of(const experiment::Experiment& experiment) {
    std::vector<ConvertedParameter> parameters;
    for (std::size_t k = 0; k < experiment.parameters.size(); ++k) {
        const std::string& name = experiment.parameters[k].name;
        std::set<double> values;
        for (std::size_t i = k; i < experiment.coordinates.size(); i += experiment.parameters.size())
            values.insert(experiment.coordinates[i]);
        ConvertedParameter& parameter = parameters.emplace_back();
        parameter = {
            .name = name, .values = values.size(), .smallest = *values.begin(), .largest = *values.rbegin()};
        if (const auto origin = experiment.origins.find(name); origin != experiment.origins.end())
            parameter.origin = origin->second;
    }
    return parameters;
}

}  // namespace

ConvertReport convert(const ConvertRequest& request, Progress& progress) {
    OutputFormat format = request.to;
    if (format == OutputFormat::by_name) {
        format = format_by_name(request.output);
    }
    if (format == OutputFormat::extra_p && request.output == "-") {
        throw Error(ErrorKind::usage, "an .extra-p file cannot go to standard output", "name a file with -o");
    }
    refuse_output_over_input(request.output, request.inputs.paths);
    const experiment::Experiment experiment = read_inputs(request.inputs, progress, Details::yes);
    if (format == OutputFormat::extra_p) {
        experiment::write_extrap4(experiment, request.output, progress);
    } else {
        OutputFile file(request.output);
        experiment::write_json_lines(experiment, file, progress);
        file.commit();
    }
    ConvertReport report{.inputs = experiment.formats,
                         .parameters = parameters_of(experiment),
                         .output = request.output,
                         .format = std::string(enum_name(format)),
                         .regions = experiment.regions.size(),
                         .metrics = experiment.metrics.size(),
                         .points = experiment.point_count()};
    for (const experiment::Series& series : experiment.series)
        report.measurements += series.measurements.size();
    for (const experiment::Note& note : experiment.notes) report.notes.push_back(to_text(note));
    return report;
}

}  // namespace plimsoll::app
