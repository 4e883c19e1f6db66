#include "app/commands/config_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/measure/parameter.hpp"

namespace plimsoll::app {

namespace {

constexpr std::size_t most_configurations = 100'000'000;

model::Grid given_values(const std::vector<std::string>& given, const PlannedWork& work) {
    model::Grid grid;
    grid.values.resize(work.parameters.size());
    const auto& parameters = work.document.parameters;
    for (const std::string& text : given) {
        const measure::ParameterValues values = measure::parse_parameter(text);
        const auto found = std::find(parameters.begin(), parameters.end(), values.name);
        if (found == parameters.end()) {
            const auto near = nearest(values.name, parameters);
            throw Error(ErrorKind::usage,
                        fmt::format("--parameter: the models have no parameter '{}'", values.name),
                        near ? fmt::format("did you mean '{}'?", *near)
                             : fmt::format("choose one of {}", join(parameters, ", ")));
        }
        std::vector<double>& own = grid.values[static_cast<std::size_t>(found - parameters.begin())];
        if (!own.empty())
            throw Error(ErrorKind::usage, fmt::format("--parameter: '{}' is given twice", values.name),
                        fmt::format("write all values behind one {}=", values.name));
        for (const measure::Value& value : values.values) own.push_back(value.number);
    }
    return grid;
}

/// Of processes where none are given.
std::vector<double> usual_counts(const PlannedWork& work, const std::vector<plan::Machine>& machines) {
    constexpr double beyond = 8.0;
    const std::size_t axis = work.workload.processes;
    double most = 0.0;
    for (const plan::Machine& machine : machines)
        most = std::max(most, machine.nodes * machine.processes_per_node);
    const double measured = work.document.largest[axis];
    // Where all runs had as many, nothing tells how times change with them.
    const bool is_known = work.document.smallest[axis] < measured;
    const double last = std::min(most, (is_known ? beyond : 1.0) * measured);
    std::vector<double> counts;
    for (double p = work.workload.fewest; p <= last; p *= 2.0) counts.push_back(p);
    if (counts.empty()) counts = {work.workload.fewest};
    return counts;
}

}  // namespace

model::Grid grid_of(const std::vector<std::string>& given, const PlannedWork& work,
                    const std::vector<plan::Machine>& machines, std::vector<std::string>& notes) {
    const auto& parameters = work.document.parameters;
    model::Grid grid = given_values(given, work);
    std::vector<std::string> fixed;
    for (std::size_t k = 0; k < grid.values.size(); ++k) {
        if (!grid.values[k].empty()) continue;
        if (k >= parameters.size()) {
            grid.values[k] = {work.workload.fewest};
        } else if (k == work.workload.processes) {
            grid.values[k] = usual_counts(work, machines);
        } else {
            grid.values[k] = {work.document.largest[k]};
            fixed.push_back(fmt::format("{}={}", parameters[k], shortest(work.document.largest[k])));
        }
    }
    for (const double p : grid.values[work.workload.processes]) {
        if (!(p >= 1.0) || p != std::floor(p))
            throw Error(ErrorKind::usage,
                        fmt::format("--parameter: there are no {} {}", shortest(p), work.counted),
                        "give whole numbers from 1");
    }
    if (!fixed.empty())
        notes.push_back(
            fmt::format("{}, the largest measured; --parameter gives other values", join(fixed, ", ")));
    double size = static_cast<double>(machines.size());
    for (const std::vector<double>& axis : grid.values) size *= static_cast<double>(axis.size());
    if (size > static_cast<double>(most_configurations))
        throw Error(ErrorKind::usage, fmt::format("--parameter: {:.3g} configurations are too many", size),
                    fmt::format("take fewer values, for at most {}", most_configurations));
    return grid;
}

std::vector<std::vector<double>> corners_of(const model::Grid& grid) {
    std::vector<std::vector<double>> corners(2);
    for (const std::vector<double>& values : grid.values) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        corners[0].push_back(*least);
        corners[1].push_back(*most);
    }
    return corners;
}

}  // namespace plimsoll::app
