#include "plimsoll/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/units.hpp"

namespace plimsoll::experiment {

std::string to_text(const Note& note) {
    std::string text;
    if (!note.place.file.empty()) {
        text = note.place.line == 0 ? fmt::format("{}: ", note.place.file)
                                    : fmt::format("{}:{}: ", note.place.file, note.place.line);
    }
    text += note.message;
    if (note.count > 1) text += fmt::format(" ({} times)", note.count);
    return text;
}

std::vector<std::string> Experiment::parameter_names() const {
    std::vector<std::string> names;
    names.reserve(parameters.size());
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    return names;
}

std::optional<std::size_t> Experiment::find_parameter(std::string_view name) const {
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
    if (found == parameters.end()) return std::nullopt;
    return static_cast<std::size_t>(found - parameters.begin());
}

std::string describe_point(const Experiment& experiment, PointId point) {
    return assignments(experiment.parameter_names(), experiment.point(point));
}

void repetition_means(const Series& series, const Measurement& measurement, std::vector<double>& means) {
    means.clear();
    std::span<const double> rest = series.values_of(measurement);
    const std::span<const std::uint32_t> locations = series.locations_of(measurement);
    if (locations.empty()) {
        means.assign(rest.begin(), rest.end());
        return;
    }
    for (const std::uint32_t count : locations) {
        means.push_back(numeric::mean(rest.first(count)));
        rest = rest.subspan(count);
    }
}

std::vector<double> repetition_means(const Series& series, const Measurement& measurement) {
    std::vector<double> means;
    repetition_means(series, measurement, means);
    return means;
}

std::string_view usual_unit(std::string_view metric) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> units{
        {{"time", "s"},
         {"min_time", "s"},
         {"max_time", "s"},
         {"runtime", "s"},
         {"wall_time", "s"},
         {"bytes", "B"},
         {"bytes_sent", "B"},
         {"bytes_received", "B"},
         {"energy", "J"},
         {"power", "W"}}};
    const auto* const found =
        std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == metric; });
    return found == units.end() ? std::string_view{} : found->second;
}

bool is_time(const Metric& metric) {
    if (!metric.unit.empty()) return unit_factor(metric.unit, "s").has_value();
    if (metric.name.empty() || metric.name == "<default>") return true;
    static constexpr std::array<std::string_view, 10> words{
        "time", "times", "runtime", "walltime", "wall", "elapsed", "duration", "seconds", "sec", "latency"};
    const std::string name = lower_case(metric.name);
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    std::size_t begin = name.size();
    while (begin > 0 && is_letter(name[begin - 1])) --begin;
    const std::string_view word = std::string_view(name).substr(begin);
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace plimsoll::experiment
