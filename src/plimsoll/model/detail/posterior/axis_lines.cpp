#include "plimsoll/model/detail/posterior/axis_lines.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace plimsoll::model::detail {

AxisLines::AxisLines(std::span<const double> points, std::size_t parameters, const AxisTable& table)
    : table_(&table) {
    const std::size_t axis = table.axis();
    std::map<std::vector<double>, std::vector<std::size_t>> lines;
    for (std::size_t i = 0; i < points.size() / parameters; ++i) {
        std::vector<double> others(points.begin() + static_cast<std::ptrdiff_t>(i * parameters),
                                   points.begin() + static_cast<std::ptrdiff_t>((i + 1) * parameters));
        others[axis] = 0.0;
        lines[std::move(others)].push_back(i);
    }
    for (auto& [others, line] : lines) {
        if (line.size() < 3) continue;
        std::sort(line.begin(), line.end(), [&](std::size_t a, std::size_t b) {
            return points[a * parameters + axis] < points[b * parameters + axis];
        });
        lines_.push_back(std::move(line));
    }
}

bool AxisLines::falls(std::span<const double> values, double relative_variance, double deviations) const {
    const double least = deviations * std::sqrt(2.0 * relative_variance);
    for (const std::vector<std::size_t>& line : lines_) {
        double highest = values[line.front()];
        for (const std::size_t i : line) {
            if (values[i] < highest * (1.0 - least)) return true;
            highest = std::max(highest, values[i]);
        }
    }
    return false;
}

double AxisLines::rss(FunctionId f, std::span<const double> values, std::span<const double> weights) const {
    const std::span<const double> t = table_->column(f);
    double rss = 0.0;
    for (const std::vector<std::size_t>& line : lines_) {
        double sum = 0.0;
        double sum_t = 0.0;
        double sum_y = 0.0;
        for (const std::size_t i : line) {
            sum += weights[i];
            sum_t += weights[i] * t[i];
            sum_y += weights[i] * values[i];
        }
        const double mean_t = sum_t / sum;
        const double mean_y = sum_y / sum;
        double tt = 0.0;
        double ty = 0.0;
        double yy = 0.0;
        for (const std::size_t i : line) {
            const double dt = t[i] - mean_t;
            const double dy = values[i] - mean_y;
            tt += weights[i] * dt * dt;
            ty += weights[i] * dt * dy;
            yy += weights[i] * dy * dy;
        }
        rss += tt > 0.0 ? std::max(yy - ty * ty / tt, 0.0) : yy;
    }
    return rss;
}

}  // namespace plimsoll::model::detail
