#include "app/commands/convert.hpp"

#include <fmt/format.h>

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
    const experiment::Experiment experiment = read_inputs(request.inputs, progress);
    if (format == OutputFormat::extra_p) {
        experiment::write_extrap4(experiment, request.output, progress);
    } else {
        OutputFile file(request.output);
        experiment::write_json_lines(experiment, file, progress);
        file.commit();
    }
    ConvertReport report{.output = request.output,
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
