#include "app/report/scale_line.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::app {

namespace {

constexpr double confidence = 0.95;  // of the times that are not used here
constexpr std::size_t most_between = 30;

/// Whole numbers strictly between two values, all or evenly chosen ones.
std::vector<double> whole_numbers_between(double low, double high) {
    const double first = std::floor(low) + 1.0;
    const double last = std::ceil(high) - 1.0;
    std::vector<double> values;
    if (last < first) return values;
    const double count = std::min(last - first + 1.0, static_cast<double>(most_between));
    for (double i = 0.0; i < count; i += 1.0) {
        const double value = count > 1.0 ? std::round(first + (last - first) * i / (count - 1.0)) : first;
        if (values.empty() || value > values.back()) values.push_back(value);
    }
    return values;
}

/// The last of the values whose efficiency is enough and the one behind it.
struct Bracket {
    std::optional<double> inside;
    std::optional<double> outside;
};

Bracket bracket(const std::vector<double>& values, const std::vector<double>& efficiencies, double least) {
    Bracket found;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (efficiencies[i] >= least) {
            found.inside = values[i];
            found.outside = std::nullopt;
        } else if (!found.outside) {
            found.outside = values[i];
        }
    }
    return found;
}

}  // namespace

ScaleLine scale_line(const PlannedWork& work, const model::Grid& grid, double least, int threads,
                     Progress& progress) {
    const std::size_t axis = work.workload.processes;
    const auto predict = [&](model::Grid points) {
        return plan::predict(work.workload, std::move(points), confidence, threads, progress);
    };
    ScaleLine line{.predictions = predict(grid), .least = least, .ends = {}};
    const std::vector<double>& values = grid.values[axis];
    std::size_t stride = 1;
    for (std::size_t k = axis + 1; k < grid.values.size(); ++k) stride *= grid.values[k].size();
    const std::size_t rows = grid.size() / values.size();
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t start = row / stride * stride * values.size() + row % stride;
        std::vector<double> efficiencies;
        for (std::size_t i = 0; i < values.size(); ++i)
            efficiencies.push_back(line.predictions.efficiency[start + i * stride]);
        Bracket found = bracket(values, efficiencies, least);
        if (!found.inside) {
            line.ends.emplace_back();
            continue;
        }
        const bool is_end = !found.outside;
        model::Grid between;
        for (const double coordinate : grid.point(start)) between.values.push_back({coordinate});
        while (found.outside) {
            between.values[axis] = whole_numbers_between(*found.inside, *found.outside);
            if (between.values[axis].empty()) break;
            const Bracket closer = bracket(between.values[axis], predict(between).efficiency, least);
            if (closer.inside) found.inside = closer.inside;
            if (closer.outside) found.outside = closer.outside;
        }
        line.ends.emplace_back(ScaleLine::End{.processes = *found.inside, .is_end = is_end});
    }
    return line;
}

}  // namespace plimsoll::app
