#include "app/commands/convert.hpp"

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/experiment/writer.hpp"

namespace plimsoll::app {

ConvertReport convert(const ConvertRequest& request, Progress& progress) {
    OutputFormat format = request.to;
    if (format == OutputFormat::by_name) {
        format = request.output.ends_with(".extra-p") ? OutputFormat::extra_p : OutputFormat::json_lines;
    }
    if (format == OutputFormat::extra_p && request.output == "-") {
        throw Error(ErrorKind::usage, "an .extra-p file cannot go to standard output", "name a file with -o");
    }
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
