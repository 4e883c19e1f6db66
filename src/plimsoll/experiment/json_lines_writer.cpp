#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/writer.hpp"

namespace plimsoll::experiment {

namespace {

/// JSON text on one line; in valid JSON a newline is a blank between tokens.
std::string on_one_line(std::string json) {
    std::ranges::replace_if(
        json, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return json;
}

template <class Numbers>
void append_list(const Numbers& numbers, std::string& text) {
    text.push_back('[');
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) text.push_back(',');
        text += shortest(numbers[i]);
    }
    text.push_back(']');
}

/// Whether reading the series one after the other meets points and regions in another order than theirs, or
/// not all of them, or regions have tags; the header then lists them.
struct NeedsList {
    bool points = false;
    bool regions = false;

    explicit NeedsList(const Experiment& experiment) {
        std::size_t next_point = 0;
        std::size_t next_region = 0;
        for (const Series& series : experiment.series) {
            regions |= index(series.region) > next_region;
            next_region = std::max(next_region, index(series.region) + 1);
            for (const Measurement& measurement : series.measurements) {
                points |= index(measurement.point) > next_point;
                next_point = std::max(next_point, index(measurement.point) + 1);
            }
        }
        points |= next_point < experiment.point_count();
        regions |= next_region < experiment.regions.size();
        regions |= std::ranges::any_of(experiment.regions,
                                       [](const Region& region) { return !region.tags.empty(); });
    }
};

std::string parameters_json(const Experiment& experiment) {
    std::vector<std::string> pieces;
    for (const Parameter& parameter : experiment.parameters) {
        const std::string name = json_quote(parameter.name);
        pieces.push_back(parameter.unit.empty()
                             ? name
                             : fmt::format(R"({{"name":{},"unit":{}}})", name, json_quote(parameter.unit)));
    }
    return join(pieces, ",");
}

std::string metrics_json(const Experiment& experiment) {
    std::vector<std::string> pieces;
    for (const Metric& metric : experiment.metrics) {
        std::vector<std::string> fields;
        if (!metric.unit.empty()) fields.push_back(fmt::format(R"("unit":{})", json_quote(metric.unit)));
        if (!metric.tags.empty()) fields.push_back(fmt::format(R"("tags":{})", on_one_line(metric.tags)));
        pieces.push_back(fmt::format("{}:{{{}}}", json_quote(metric.name), join(fields, ",")));
    }
    return join(pieces, ",");
}

std::string regions_json(const Experiment& experiment) {
    std::vector<std::string> pieces;
    for (const Region& region : experiment.regions) {
        const std::string tags =
            region.tags.empty() ? "" : fmt::format(R"("tags":{})", on_one_line(region.tags));
        pieces.push_back(fmt::format("{}:{{{}}}", json_quote(region.path), tags));
    }
    return join(pieces, ",");
}

std::string header(const Experiment& experiment) {
    const NeedsList needs(experiment);
    std::string text = fmt::format(R"({{"schema":"plimsoll.experiment/1","parameters":[{}],"metrics":{{{}}})",
                                   parameters_json(experiment), metrics_json(experiment));
    if (needs.regions) text += fmt::format(R"(,"regions":{{{}}})", regions_json(experiment));
    if (needs.points) {
        text += R"(,"points":[)";
        for (std::size_t i = 0; i < experiment.point_count(); ++i) {
            if (i > 0) text.push_back(',');
            append_list(experiment.point(static_cast<PointId>(i)), text);
        }
        text.push_back(']');
    }
    if (experiment.scaling) text += fmt::format(R"(,"scaling":"{}")", enum_name(*experiment.scaling));
    if (experiment.inclusive) text += R"(,"tree":"inclusive")";
    if (!experiment.metadata.empty()) {
        std::vector<std::string> pieces;
        for (const auto& [key, value] : experiment.metadata) {
            pieces.push_back(fmt::format("{}:{}", json_quote(key), on_one_line(value)));
        }
        text += fmt::format(R"(,"metadata":{{{}}})", join(pieces, ","));
    }
    if (!experiment.extrap_modelers.empty()) {
        text += fmt::format(R"(,"extrap_modelers":{})", on_one_line(experiment.extrap_modelers));
    }
    return text + "}\n";
}

void append_values(const Series& series, const Measurement& measurement, std::string& text) {
    text += R"(,"value":)";
    const auto values = series.values_of(measurement);
    const auto locations = series.locations_of(measurement);
    if (locations.empty()) {
        append_list(values, text);
        return;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < locations.size(); ++i) {
        text.push_back(i == 0 ? '[' : ',');
        append_list(values.subspan(next, locations[i]), text);
        next += locations[i];
    }
    text.push_back(']');
}

void append_summary(const Measurement& measurement, std::string& text) {
    const auto& summary = measurement.summary;
    fmt::format_to(std::back_inserter(text), R"(,"summary":{{"mean":{},"median":{})",
                   json_number(summary.mean), json_number(summary.median));
    if (measurement.complete_summary) {
        fmt::format_to(std::back_inserter(text), R"(,"minimum":{},"maximum":{},"deviation":{})",
                       json_number(summary.minimum), json_number(summary.maximum),
                       json_number(summary.deviation));
    }
    if (measurement.repetitions > 0) {
        fmt::format_to(std::back_inserter(text), R"(,"repetitions":{})", measurement.repetitions);
    }
    text.push_back('}');
}

}  // namespace

void write_json_lines(const Experiment& experiment, OutputFile& file, Progress& progress) {
    Activity activity(progress, "writing", std::ssize(experiment.series));
    file.write(header(experiment));
    std::vector<std::string> names;
    for (const Parameter& parameter : experiment.parameters) names.push_back(json_quote(parameter.name));
    std::string line;
    for (const Series& series : experiment.series) {
        const std::string place =
            fmt::format(R"(}},"region":{},"metric":{})", json_quote(experiment.region(series).path),
                        json_quote(experiment.metric(series).name));
        for (const Measurement& measurement : series.measurements) {
            line = R"({"params":{)";
            const auto point = experiment.point(measurement.point);
            for (std::size_t k = 0; k < names.size(); ++k) {
                if (k > 0) line.push_back(',');
                line += names[k];
                line.push_back(':');
                line += shortest(point[k]);
            }
            line += place;
            if (measurement.value_count > 0) {
                append_values(series, measurement, line);
            } else {
                append_summary(measurement, line);
            }
            line += "}\n";
            file.write(line);
        }
        activity.step();
    }
}

}  // namespace plimsoll::experiment
