#include "plimsoll/measure/region_file.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/reader.hpp"

namespace plimsoll::measure {

namespace {

using experiment::Experiment;

/// [[1,2,3]]: one repetition, with the values of all.
std::string one_repetition_json(std::span<const double> values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const double value : values) texts.push_back(shortest(value));
    return values.size() == 1 ? fmt::format("[{}]", texts.front()) : fmt::format("[[{}]]", join(texts, ","));
}

/// [1,2]: one value for each repetition; [[1,2]]: one repetition, with a value for each process and thread.
std::string values_json(const experiment::Series& series, const experiment::Measurement& measurement) {
    const auto values = series.values_of(measurement);
    const auto locations = series.locations_of(measurement);
    std::vector<std::string> repetitions;
    std::size_t next = 0;
    const auto numbers = [&](std::size_t count) {
        std::vector<std::string> texts;
        for (const double value : values.subspan(next, count)) texts.push_back(shortest(value));
        next += count;
        return join(texts, ",");
    };
    for (const std::uint32_t count : locations) repetitions.push_back("[" + numbers(count) + "]");
    return "[" + (locations.empty() ? numbers(values.size()) : join(repetitions, ",")) + "]";
}

/// Names a parameter that the file gives another value than the run has.
void compare_parameters(const Experiment& experiment, const std::vector<std::string>& names,
                        const Point& point, std::vector<std::string>& notes) {
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto found = experiment.find_parameter(names[k]);
        if (!found) continue;
        const double stated = experiment.point(experiment::PointId{0})[*found];
        if (stated == point[k].number) continue;
        notes.push_back(
            fmt::format("a file of the program says {}={} where the run has {}={}; the run's is kept",
                        names[k], shortest(stated), names[k], point[k].text));
    }
}

}  // namespace

std::string parameters_json(const std::vector<std::string>& names, const Point& point) {
    std::vector<std::string> members;
    for (std::size_t k = 0; k < names.size(); ++k)
        members.push_back(fmt::format("{}:{}", json_quote(names[k]), shortest(point[k].number)));
    return fmt::format("{{{}}}", join(members, ","));
}

RegionLines read_regions(const std::string& path, const std::vector<std::string>& names, const Point& point,
                         SeveralValues several) {
    const experiment::ReadOptions options{.constants = experiment::ConstantParameters::keep};
    const std::array paths{path};
    const Experiment experiment = experiment::read(paths, options, silent());
    if (experiment.point_count() > 1) {
        throw Error(ErrorKind::input, Place{.file = path},
                    fmt::format("holds {} points, and one run is one point", experiment.point_count()),
                    "let each run write a file of its own: name it with {run}");
    }
    RegionLines result;
    compare_parameters(experiment, names, point, result.notes);
    for (const experiment::Note& note : experiment.notes) result.notes.push_back(note.message);
    const std::string parameters = parameters_json(names, point);
    for (const experiment::Series& series : experiment.series) {
        const experiment::Metric& metric = experiment.metric(series);
        const std::string unit =
            metric.unit.empty() ? "" : fmt::format(R"(,"unit":{})", json_quote(metric.unit));
        for (const experiment::Measurement& measurement : series.measurements) {
            if (measurement.value_count == 0) {
                result.notes.emplace_back("a file of the program holds summaries, which are left out");
                continue;
            }
            result.lines.push_back(fmt::format(
                R"({{"params":{},"region":{},"metric":{}{},"value":{}}})", parameters,
                json_quote(experiment.region(series).path), json_quote(metric.name), unit,
                several == SeveralValues::as_written ? values_json(series, measurement)
                                                     : one_repetition_json(series.values_of(measurement))));
        }
    }
    return result;
}

}  // namespace plimsoll::measure
