#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plimsoll/experiment/transform.hpp"

namespace plimsoll::experiment {

namespace {

enum class Coupling { none, rise_together, one_falls };

/// How the values of one parameter follow those of another, where each has a single one of the other.
Coupling coupling(const Experiment& experiment, std::size_t a, std::size_t b) {
    std::map<double, double> partner;  // of each value of a
    for (std::size_t i = 0; i < experiment.point_count(); ++i) {
        const auto point = experiment.point(static_cast<PointId>(i));
        if (partner.try_emplace(point[a], point[b]).first->second != point[b]) return Coupling::none;
    }
    if (partner.size() < 2) return Coupling::none;
    std::vector<double> values;
    values.reserve(partner.size());
    for (const auto& [of_a, of_b] : partner) values.push_back(of_b);
    const auto not_rising = [](double first, double second) { return first >= second; };
    const auto not_falling = [](double first, double second) { return first <= second; };
    if (std::adjacent_find(values.begin(), values.end(), not_rising) == values.end())
        return Coupling::rise_together;
    return std::adjacent_find(values.begin(), values.end(), not_falling) == values.end() ? Coupling::one_falls
                                                                                         : Coupling::none;
}

}  // namespace

std::vector<std::string> coupled_parameter_remarks(const Experiment& experiment) {
    std::vector<std::string> remarks;
    const auto& parameters = experiment.parameters;
    for (std::size_t a = 0; a < parameters.size(); ++a) {
        for (std::size_t b = a + 1; b < parameters.size(); ++b) {
            const Coupling found = coupling(experiment, a, b);
            if (found == Coupling::none) continue;
            remarks.push_back(fmt::format(
                "{} and {} {}: their effects cannot be told apart; measure other combinations, or leave one "
                "of them out (a table: --parameter-columns {})",
                parameters[a].name, parameters[b].name,
                found == Coupling::rise_together ? "always rise together" : "always change together",
                parameters[a].name));
        }
    }
    return remarks;
}

}  // namespace plimsoll::experiment
