#include "plimsoll/model/detail/axis_plan.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::model::detail {

namespace {

struct Points {
    std::span<const double> values;
    std::size_t parameters;

    [[nodiscard]] std::size_t count() const { return values.size() / parameters; }
    [[nodiscard]] double at(std::size_t point, std::size_t axis) const {
        return values[point * parameters + axis];
    }
    /// Coordinates other than the axis's own.
    [[nodiscard]] std::vector<double> others(std::size_t point, std::size_t axis) const {
        std::vector<double> rest;
        for (std::size_t k = 0; k < parameters; ++k) {
            if (k != axis) rest.push_back(at(point, k));
        }
        return rest;
    }
};

/// Lines along an axis in order of appearance, each with its points in order of appearance.
std::vector<std::vector<std::size_t>> lines_along(const Points& points, std::size_t axis) {
    std::vector<std::vector<std::size_t>> lines;
    std::map<std::vector<double>, std::size_t> line_of;
    for (std::size_t i = 0; i < points.count(); ++i) {
        const auto [found, is_new] = line_of.try_emplace(points.others(i, axis), lines.size());
        if (is_new) lines.emplace_back();
        lines[found->second].push_back(i);
    }
    return lines;
}

AxisPlan longest_lines(const Points& points, std::size_t axis) {
    std::vector<std::vector<std::size_t>> lines = lines_along(points, axis);
    std::size_t longest = 0;
    for (const auto& line : lines) longest = std::max(longest, line.size());
    std::erase_if(lines, [&](const auto& line) { return line.size() != longest; });

    // Only lines that have the first line's first value take part, so that each value averages the same
    // lines.
    const double first = points.at(lines.front().front(), axis);
    std::erase_if(lines, [&](const auto& line) {
        return std::none_of(line.begin(), line.end(),
                            [&](std::size_t i) { return points.at(i, axis) == first; });
    });
    AxisPlan plan;
    std::map<double, std::size_t> position_of;
    for (const auto& line : lines) {
        for (const std::size_t i : line) {
            const auto [found, is_new] = position_of.try_emplace(points.at(i, axis), plan.x.size());
            if (is_new) {
                plan.x.push_back(points.at(i, axis));
                plan.averaged.emplace_back();
            }
            plan.averaged[found->second].push_back(i);
        }
    }
    return plan;
}

AxisPlan smallest_line(const Points& points, std::size_t axis) {
    AxisPlan plan;
    std::vector<double> current;
    for (std::size_t i = 0; i < points.count(); ++i) {
        std::vector<double> others = points.others(i, axis);
        if (i == 0 || others != current) {
            const bool smaller = i == 0 || std::equal(others.begin(), others.end(), current.begin(),
                                                      [](double a, double b) { return a <= b; });
            if (!smaller) continue;
            current = std::move(others);
            plan = {};
        }
        plan.x.push_back(points.at(i, axis));
        plan.averaged.push_back({i});
    }
    return plan;
}

}  // namespace

void AxisPlan::gather(std::span<const double> values, std::vector<double>& axis_values) const {
    axis_values.clear();
    for (const auto& averaged_points : averaged) {
        double sum = 0.0;
        for (const std::size_t i : averaged_points) sum += values[i];
        axis_values.push_back(sum / static_cast<double>(averaged_points.size()));
    }
}

std::vector<AxisPlan> plan_axes(std::span<const double> points, std::size_t parameters, AxisPoints choice) {
    const Points layout{.values = points, .parameters = parameters};
    std::vector<AxisPlan> plans;
    for (std::size_t axis = 0; axis < parameters; ++axis) {
        plans.push_back(choice == AxisPoints::longest ? longest_lines(layout, axis)
                                                      : smallest_line(layout, axis));
    }
    return plans;
}

}  // namespace plimsoll::model::detail
