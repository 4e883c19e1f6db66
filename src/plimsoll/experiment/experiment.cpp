#include "plimsoll/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "plimsoll/core/text.hpp"

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
    std::vector<std::string> pieces;
    const auto values = experiment.point(point);
    for (std::size_t k = 0; k < values.size(); ++k) {
        pieces.push_back(fmt::format("{}={}", experiment.parameters[k].name, shortest(values[k])));
    }
    return join(pieces, ", ");
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

}  // namespace plimsoll::experiment
