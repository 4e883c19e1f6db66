#include "plimsoll/model/detail/posterior/axis_lines.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace plimsoll::model::detail {

AxisLines::AxisLines(std::span<const double> points, std::size_t parameters, const AxisTable& table)
    : functions_(axis_functions().size()) {
    const std::size_t axis = table.axis();
    std::map<double, std::size_t> positions;
    for (std::size_t i = 0; i < points.size() / parameters; ++i) {
        const auto [found, is_new] = positions.try_emplace(points[i * parameters + axis], positions.size());
        position_.push_back(found->second);
        for (FunctionId f = 0; is_new && f < functions_; ++f) {
            functions_at_.push_back(table.is_usable(f) ? table.column(f)[i] : 0.0);
        }
    }
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

std::span<const double> AxisLines::rss(std::span<const double> values, std::span<const double> weights) {
    rss_.assign(functions_, 0.0);
    sums_.resize(3 * functions_);
    for (const std::vector<std::size_t>& line : lines_) add_line(line, values.data(), weights.data());
    return rss_;
}

/// Adds the residuals of one line, of all functions side by side.
void AxisLines::add_line(std::span<const std::size_t> line, const double* values, const double* weights) {
    double* __restrict mean_t = sums_.data();
    double* __restrict tt = mean_t + functions_;
    double* __restrict ty = tt + functions_;
    double* __restrict rss = rss_.data();
    std::fill_n(mean_t, 3 * functions_, 0.0);
    double sum = 0.0;
    double sum_y = 0.0;
    for (const std::size_t i : line) {
        const double* t = functions_at_.data() + position_[i] * functions_;
        sum += weights[i];
        sum_y += weights[i] * values[i];
        for (std::size_t f = 0; f < functions_; ++f) mean_t[f] += weights[i] * t[f];
    }
    for (std::size_t f = 0; f < functions_; ++f) mean_t[f] /= sum;
    double yy = 0.0;
    for (const std::size_t i : line) {
        const double* t = functions_at_.data() + position_[i] * functions_;
        const double weight = weights[i];
        const double dy = values[i] - sum_y / sum;
        yy += weight * dy * dy;
        for (std::size_t f = 0; f < functions_; ++f) {
            const double dt = t[f] - mean_t[f];
            tt[f] += weight * dt * dt;
            ty[f] += weight * dt * dy;
        }
    }
    for (std::size_t f = 0; f < functions_; ++f) {
        const double left = yy - ty[f] * ty[f] / (tt[f] > 0.0 ? tt[f] : 1.0);  // t is constant: ty is 0
        rss[f] += left > 0.0 ? left : 0.0;
    }
}

}  // namespace plimsoll::model::detail
