#include "row.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include "measuring.hpp"

namespace plimsoll::model::accuracy {
namespace {

constexpr int key_columns = 10;
constexpr double surely = 0.8;  // probability from which more terms than there are count as an alarm

double median(std::vector<double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Mean of values with its standard error.
struct Mean {
    double value = 0.0;
    double error = 0.0;
};

Mean mean_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0.0;
    for (const double value : values) square += (value - mean) * (value - mean);
    return {.value = mean, .error = std::sqrt(square / n / std::max(n - 1.0, 1.0))};
}

bool has_right_lead(const Truth& truth, const Answer& answer) {
    for (std::size_t p = 0; p < truth.lead.size(); ++p) {
        if (std::abs(answer.lead[p] - truth.lead[p]) > 0.2501) return false;
    }
    return true;
}

/// Whether more terms than the function has are held to be sure.
bool is_false_alarm(const Truth& truth, const Answer& answer) {
    double more = 0.0;
    for (std::size_t t = truth.terms + 1; t < answer.probabilities.size(); ++t) {
        more += answer.probabilities[t];
    }
    return more > surely;
}

/// Columns of one place.
std::string judged_at(const Place& place, std::size_t index, const std::vector<Truth>& truths,
                      const std::vector<Answer>& answers) {
    constexpr std::array<double, 3> limits{0.05, 0.10, 0.20};
    std::array<std::size_t, limits.size()> within{};
    std::array<std::size_t, coverages.size()> covered{};
    std::vector<double> widths;
    std::vector<double> chances;
    double score = 0.0;
    for (std::size_t f = 0; f < truths.size(); ++f) {
        const double exact = truths[f].value(place.at);
        const Prediction& said = answers[f].at[index];
        const double error = std::abs(said.value / exact - 1.0);
        for (std::size_t i = 0; i < limits.size(); ++i) within[i] += error <= limits[i] ? 1 : 0;
        if (said.chance) chances.push_back(*said.chance);
        if (!said.intervals) continue;
        for (std::size_t c = 0; c < coverages.size(); ++c) {
            const auto [low, high] = (*said.intervals)[c];
            covered[c] += low <= exact && exact <= high ? 1 : 0;
            if (coverages[c] != main_coverage) continue;
            widths.push_back((high - low) / exact);
            const double outside = std::max({low - exact, exact - high, 0.0});
            score += std::min((high - low + 2.0 / (1.0 - main_coverage) * outside) / exact, 100.0);
        }
    }
    const auto count = static_cast<double>(truths.size());
    std::string row;
    for (const std::size_t w : within) row += fmt::format(",{:.4f}", static_cast<double>(w) / count);
    for (const std::size_t c : covered) {
        row += widths.empty() ? "," : fmt::format(",{:.4f}", static_cast<double>(c) / count);
    }
    row += widths.empty() ? ",," : fmt::format(",{:.5f},{:.4f}", median(widths), score / count);
    const Mean chance = chances.empty() ? Mean{} : mean_of(chances);
    row += chances.empty() ? ",," : fmt::format(",{:.5f},{:.5f}", chance.value, chance.error);
    return row;
}

}  // namespace

std::string key_of(const Cell& cell, std::string_view search) {
    return fmt::format("{},{},{},{},{},{},{},{},{},{}", cell.truth, cell.design, cell.law, cell.parameters,
                       cell.noise, cell.repetitions, cell.seed, cell.first, cell.count, search);
}

std::string header() {
    std::string text =
        "truth,design,law,parameters,noise,repetitions,seed,first,count,search,functions,lead,named_constant,"
        "more_terms";
    for (const char* name : {"inside", "step", "target", "far", "farthest"}) {
        text += fmt::format(
            ",{0}_within5,{0}_within10,{0}_within20,{0}_coverage50,{0}_coverage80,{0}_coverage,"
            "{0}_coverage95,{0}_width,{0}_score,{0}_chance5,{0}_chance5_error",
            name);
    }
    return text;
}

std::string judged(const Cell& cell, const std::vector<Truth>& truths, const std::vector<Answer>& answers) {
    std::size_t right = 0;
    std::size_t constants = 0;
    std::size_t alarms = 0;
    bool is_told = true;
    for (std::size_t f = 0; f < truths.size(); ++f) {
        right += has_right_lead(truths[f], answers[f]) ? 1 : 0;
        constants += answers[f].is_constant ? 1 : 0;
        alarms += is_false_alarm(truths[f], answers[f]) ? 1 : 0;
        is_told = is_told && !answers[f].probabilities.empty();
    }
    const auto count = static_cast<double>(truths.size());
    std::string row = fmt::format("{},{:.4f},{:.4f},", truths.size(), static_cast<double>(right) / count,
                                  static_cast<double>(constants) / count);
    if (is_told) row += fmt::format("{:.4f}", static_cast<double>(alarms) / count);
    const std::vector<Place> all = places(cell.parameters);
    for (std::size_t i = 0; i < all.size(); ++i) row += judged_at(all[i], i, truths, answers);
    return row;
}

std::set<std::string> keys_in(const std::string& path) {
    std::set<std::string> done;
    std::ifstream in(path);
    std::string line;
    if (!std::getline(in, line)) return done;
    if (line != header()) throw CLI::ValidationError("-o", path + " has other columns");
    done.insert({});  // the header is there
    while (std::getline(in, line)) {
        std::size_t comma = line.find(',');
        for (int i = 1; i < key_columns && comma != std::string::npos; ++i) comma = line.find(',', comma + 1);
        done.insert(line.substr(0, comma));
    }
    return done;
}

}  // namespace plimsoll::model::accuracy
