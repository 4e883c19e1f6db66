#include "app/commands/measure.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "app/campaign/measure_runner.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/measure/provenance.hpp"
#include "plimsoll/numeric/robust_deviation.hpp"
#include "plimsoll/numeric/summary.hpp"
#include "version.hpp"

namespace plimsoll::app {

namespace {

measure::Points points_of(const MeasureRequest& request) {
    if (!request.points.empty()) {
        if (!request.parameters.empty())
            throw Error(ErrorKind::usage, "--points and --parameter exclude each other",
                        "leave one of them out: the file names the parameters");
        return measure::read_points(request.points);
    }
    std::vector<measure::ParameterValues> parameters;
    for (const std::string& text : request.parameters) parameters.push_back(measure::parse_parameter(text));
    if (parameters.empty()) return {};
    return measure::design_points(parameters, request.options.design);
}

measure::Subject subject_of(const MeasureRequest& request) {
    measure::Subject subject{.command = request.command,
                             .environment = {},
                             .input = request.input,
                             .folder = request.folder,
                             .points = points_of(request),
                             .metrics = {}};
    const std::vector<std::string> usual{"time"};
    subject.metrics = measure::parse_metrics(request.metrics.empty() ? usual : request.metrics);
    for (const std::string& text : request.environment) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw Error(ErrorKind::usage, fmt::format("--env: '{}' is not allowed", text),
                        "write NAME=VALUE");
        subject.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return subject;
}

MeasuredMetric summary_of(const measure::MetricChoice& choice, const std::vector<double>& values) {
    const numeric::Summary summary = numeric::summarize(std::span(values));
    return {.metric = choice.name,
            .unit = choice.unit,
            .runs = values.size(),
            .median = summary.median,
            .spread = values.size() > 1 && summary.median != 0.0
                          ? numeric::robust_deviation(values) / std::abs(summary.median)
                          : std::numeric_limits<double>::quiet_NaN(),
            .minimum = summary.minimum,
            .maximum = summary.maximum};
}

MeasureReport plan(const measure::Subject& subject, const MeasureRequest& request) {
    MeasureReport report{.output = request.output, .parameters = subject.points.names, .dry_run = true};
    for (const measure::PlannedRun& run : measure::plan_runs(subject, request.options)) {
        report.planned.push_back({.number = report.planned.size() + 1,
                                  .at = subject.points.points[run.point],
                                  .repetition = run.repetition,
                                  .reason = {},
                                  .error_lines = {},
                                  .command = run.command.arguments});
    }
    return report;
}

/// Of runs elsewhere the header names the hosts, and nothing of this machine that they may not share.
MeasureRunner runner_of(const MeasureRequest& request, const measure::Subject& subject,
                        measure::Destination& destination) {
    if (request.options.require_quiet.on)
        throw Error(ErrorKind::usage, "--require-quiet looks at this machine, and --campaign runs elsewhere",
                    "leave one of them out; each run has its worker for itself");
    MeasureRunner runner(request.campaign, subject.metrics);
    destination.scratch = runner.scratch();
    const auto here = destination.metadata.find("host");
    std::vector<std::string> hosts;
    bool all_here = here != destination.metadata.end();
    for (const std::string& host : runner.hosts()) {
        hosts.push_back(json_quote(host));
        all_here = all_here && hosts.back() == here->second;
    }
    if (!all_here) {
        for (const char* const key : {"host", "kernel", "cpu", "cores", "governor", "turbo", "environment"})
            destination.metadata.erase(key);
    }
    destination.metadata["hosts"] = fmt::format("[{}]", join(hosts, ", "));
    return runner;
}

}  // namespace

MeasureReport measure_program(const MeasureRequest& request, Progress& progress) {
    if (request.output == "-")
        throw Error(ErrorKind::usage, "measurements cannot go to standard output",
                    "name a file with -o: it is what an interrupted measurement continues from");
    const measure::Subject subject = subject_of(request);
    if (request.dry_run) return plan(subject, request);
    const auto launcher = launch::local_launcher();
    measure::Destination destination{
        .path = request.output,
        .existing = request.fresh ? measure::Existing::replaced : measure::Existing::continued,
        .metadata = measure::provenance(*launcher)};
    destination.metadata["plimsoll"] = json_quote(version);
    destination.metadata["seed"] = std::to_string(request.options.seed);
    std::optional<MeasureRunner> elsewhere;
    if (!request.campaign.empty()) elsewhere = runner_of(request, subject, destination);
    const bool wants_energy =
        std::any_of(subject.metrics.begin(), subject.metrics.end(),
                    [](const auto& metric) { return metric.source == measure::Source::energy; });
    const measure::Runner runner =
        elsewhere ? elsewhere->runner()
                  : measure::local_runner(
                        *launcher, wants_energy ? measure::Energy::measured : measure::Energy::left_out);
    measure::Result result = measure::measure(subject, request.options, destination, runner, progress);
    MeasureReport report{.output = request.output,
                         .parameters = subject.points.names,
                         .runs = result.runs,
                         .continued_from = result.continued_from,
                         .interrupted = result.interrupted,
                         .notes = std::move(result.notes)};
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const measure::PointResult& point = result.points[i];
        MeasuredPoint measured{
            .at = subject.points.points[i], .runs = point.runs, .failures = point.failures};
        for (std::size_t k = 0; k < subject.metrics.size(); ++k) {
            if (!point.values[k].empty())
                measured.metrics.push_back(summary_of(subject.metrics[k], point.values[k]));
        }
        report.points.push_back(std::move(measured));
    }
    for (measure::RunRecord& failure : result.failures) {
        report.failures.push_back({.number = failure.number,
                                   .at = subject.points.points[failure.point],
                                   .repetition = failure.repetition,
                                   .reason = std::move(failure.failure),
                                   .error_lines = std::move(failure.error_lines),
                                   .command = {}});
    }
    return report;
}

}  // namespace plimsoll::app
