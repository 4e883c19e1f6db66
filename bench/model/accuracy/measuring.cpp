#include "measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "plimsoll/experiment/builder.hpp"

namespace plimsoll::model::accuracy {

const std::vector<std::vector<double>>& axes() {
    static const std::vector<std::vector<double>> values{
        {4, 8, 16, 32, 64}, {10, 20, 30, 40, 50}, {1000, 2000, 3000, 4000, 5000}, {10, 12, 14, 16, 18}};
    return values;
}

std::vector<Place> places(std::size_t parameters) {
    if (parameters == 1) {
        return {{"inside", {24}}, {"step", {96}}, {"target", {128}}, {"far", {256}}, {"farthest", {512}}};
    }
    std::vector<Place> all{{"inside", {24, 25, 2500, 13}},
                           {"step", {64, 60, 6000, 20}},
                           {"target", {128, 60, 6000, 20}},
                           {"far", {128, 100, 10000, 36}},
                           {"farthest", {256, 200, 20000, 72}}};
    for (Place& place : all) place.at.resize(parameters);
    return all;
}

std::vector<std::vector<double>> design_points(const Cell& cell) {
    std::vector<std::vector<double>> points;
    const std::size_t m = cell.parameters;
    if (cell.design == "grid") {
        std::size_t count = 1;
        for (std::size_t p = 0; p < m; ++p) count *= 5;
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<double> x(m);
            std::size_t rest = i;
            for (std::size_t p = m; p-- > 0;) {
                x[p] = axes()[p][rest % 5];
                rest /= 5;
            }
            points.push_back(std::move(x));
        }
        return points;
    }
    // A line of five along each axis through the smallest values, and one point off the lines.
    std::vector<double> x(m);
    for (std::size_t p = 0; p < m; ++p) x[p] = axes()[p][0];
    points.push_back(x);
    for (std::size_t p = 0; p < m; ++p) {
        for (std::size_t i = 1; i < 5; ++i) {
            std::vector<double> on_line = x;
            on_line[p] = axes()[p][i];
            points.push_back(std::move(on_line));
        }
    }
    for (std::size_t p = 0; p < m; ++p) x[p] = axes()[p][1];
    points.push_back(x);
    return points;
}

double deviation_of(const Cell& cell) { return cell.noise / 200.0 / std::numbers::sqrt3; }

Runs measure(const Cell& cell, const std::vector<Truth>& truths, std::mt19937_64& random) {
    const auto points = design_points(cell);
    std::uniform_real_distribution<double> half(-cell.noise / 200.0, cell.noise / 200.0);
    std::student_t_distribution<double> heavy(3.0);
    const auto normal = [&] { return std::normal_distribution<double>(0.0, deviation_of(cell))(random); };
    Runs runs(truths.size());
    for (std::size_t f = 0; f < truths.size(); ++f) {
        for (const std::vector<double>& x : points) {
            const double exact = truths[f].value(x);
            std::vector<double>& of_point = runs[f].emplace_back();
            double value = exact;
            for (int r = 0; r < cell.repetitions; ++r) {
                if (cell.law == "compounding") {
                    value *= 1.0 + half(random);
                } else if (cell.law == "gaussian-compounding") {
                    value *= 1.0 + normal();
                } else if (cell.law == "gaussian") {
                    value = exact * (1.0 + normal());
                } else if (cell.law == "heavy") {
                    value = exact * std::max(0.05, 1.0 + cell.noise / 600.0 * heavy(random));
                } else {
                    value = exact * (1.0 + half(random));
                }
                of_point.push_back(value);
            }
        }
    }
    return runs;
}

experiment::Experiment experiment_of(const Cell& cell, const Runs& runs) {
    experiment::ExperimentBuilder builder;
    std::vector<std::string> names;
    for (std::size_t p = 0; p < cell.parameters; ++p) names.emplace_back(1, static_cast<char>('a' + p));
    builder.set_parameters(names, {});
    const auto points = design_points(cell);
    for (std::size_t f = 0; f < runs.size(); ++f) {
        const auto series = builder.series(builder.region(fmt::format("f{}", f)), builder.metric("time"));
        for (std::size_t i = 0; i < points.size(); ++i) {
            builder.add_repetitions(series, builder.point(points[i], {}), runs[f][i], {});
        }
    }
    return builder.build();
}

}  // namespace plimsoll::model::accuracy
