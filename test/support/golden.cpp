#include "test/support/golden.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace plimsoll::test {

namespace {

using nlohmann::json;

double number(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

bool close(double a, double b) {
    return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

class Differences {
  public:
    void add(std::string text) {
        if (++count_ <= 8) text_ += text + "\n";
    }
    [[nodiscard]] std::string text() const {
        return count_ <= 8 ? text_ : fmt::format("{}... {} differences in all\n", text_, count_);
    }

  private:
    std::string text_;
    int count_ = 0;
};

void compare_measurements(const experiment::Experiment& ours, const json& pair, Differences& differences) {
    const std::string region = pair["callpath"];
    const std::string metric = pair["metric"];
    const auto series = std::find_if(ours.series.begin(), ours.series.end(), [&](const auto& s) {
        return ours.region(s).path == region && ours.metric(s).name == metric;
    });
    if (series == ours.series.end()) {
        differences.add(fmt::format("'{}' / '{}' is missing", region, metric));
        return;
    }
    for (const json& row : pair["rows"]) {
        std::vector<double> point;
        for (const json& value : row[0]) point.push_back(number(value));
        const auto found =
            std::find_if(series->measurements.begin(), series->measurements.end(),
                         [&](const auto& m) { return std::ranges::equal(ours.point(m.point), point); });
        // Extra-P keeps values that are not finite; we leave them out.
        const double golden_mean = number(row[1]);
        if (!std::isfinite(golden_mean)) continue;
        if (found == series->measurements.end()) {
            differences.add(fmt::format("'{}' / '{}' has no measurement at {}", region, metric, point));
            continue;
        }
        const auto& s = found->summary;
        const double scale = std::max(std::abs(s.maximum), std::abs(s.minimum));
        const std::vector<std::pair<const char*, double>> statistics{{"mean", s.mean},
                                                                     {"median", s.median},
                                                                     {"minimum", s.minimum},
                                                                     {"maximum", s.maximum},
                                                                     {"deviation", s.deviation}};
        for (std::size_t i = 0; i < statistics.size(); ++i) {
            if (row[i + 1].is_null()) continue;
            const double expected = number(row[i + 1]);
            // A deviation is a difference of values: compare it at their scale.
            const bool agrees = close(statistics[i].second, expected) ||
                                (i == 4 && std::abs(statistics[i].second - expected) <= 1e-12 * scale);
            if (!agrees) {
                differences.add(fmt::format("'{}' / '{}' at {}: {} is {}, expected {}", region, metric, point,
                                            statistics[i].first, statistics[i].second, expected));
            }
        }
        if (row[6].is_number() && row[6].get<std::uint32_t>() != found->repetitions) {
            differences.add(fmt::format("'{}' / '{}' at {}: {} repetitions, expected {}", region, metric,
                                        point, found->repetitions, row[6].dump()));
        }
    }
}

}  // namespace

std::string differences_from_golden(const experiment::Experiment& ours, const std::string& golden_file) {
    std::ifstream stream(golden_file);
    const json golden = json::parse(stream).at("experiment");
    Differences differences;
    std::vector<std::string> parameters;
    for (const auto& parameter : ours.parameters) parameters.push_back(parameter.name);
    if (json(parameters) != golden["parameters"]) {
        differences.add(
            fmt::format("parameters are {}, expected {}", parameters, golden["parameters"].dump()));
        return differences.text();
    }
    for (const json& row : golden["coordinates"]) {
        std::vector<double> point;
        for (const json& value : row) point.push_back(number(value));
        bool found = false;
        for (std::size_t i = 0; i < ours.point_count(); ++i) {
            found |= std::ranges::equal(ours.point(static_cast<experiment::PointId>(i)), point);
        }
        if (!found) differences.add(fmt::format("the point {} is missing", point));
    }
    if (golden["coordinates"].size() != ours.point_count()) {
        differences.add(
            fmt::format("{} points, expected {}", ours.point_count(), golden["coordinates"].size()));
    }
    for (const json& pair : golden["measurements"]) compare_measurements(ours, pair, differences);
    return differences.text();
}

}  // namespace plimsoll::test
