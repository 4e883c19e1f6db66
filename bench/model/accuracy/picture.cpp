#include "picture.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::model::accuracy {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; std::getline(in, word, ',');) words.push_back(word);
    return words;
}

std::vector<Row> read(const Cell& cell, const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> names = split(line);
    std::vector<Row> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> words = split(line);
        Row row;
        for (std::size_t i = 0; i < std::min(names.size(), words.size()); ++i) row[names[i]] = words[i];
        const bool is_asked = row["truth"] == cell.truth && row["design"] == cell.design &&
                              row["parameters"] == fmt::format("{}", cell.parameters);
        if (is_asked) rows.push_back(std::move(row));
    }
    return rows;
}

/// Mean in per cent of a column over all rows of a law and search, by noise.
std::map<double, double> means(const std::vector<Row>& rows, const std::string& law,
                               const std::string& search, const std::string& column) {
    std::map<double, std::pair<double, int>> sums;
    for (const Row& row : rows) {
        const auto found = row.find(column);
        if (row.at("law") != law || row.at("search") != search) continue;
        if (found == row.end() || found->second.empty() || std::stod(row.at("noise")) <= 0.0) continue;
        auto& [sum, count] = sums[std::stod(row.at("noise"))];
        sum += 100.0 * std::stod(found->second);
        ++count;
    }
    std::map<double, double> result;
    for (const auto& [noise, sum] : sums) result[noise] = sum.first / sum.second;
    return result;
}

struct Line {
    std::string name;
    std::string colour;
    std::map<double, double> values;  ///< per cent, by noise
};

/// A panel with its upper left corner at (left, top).
std::string panel(double left, double top, const std::string& title, double lowest,
                  const std::vector<Line>& lines) {
    constexpr double width = 300.0;
    constexpr double height = 200.0;
    const auto x = [&](double noise) { return left + width * std::log(noise) / std::log(50.0); };
    const auto y = [&](double value) {
        return top + height * (100.0 - std::clamp(value, lowest, 100.0)) / (100.0 - lowest);
    };
    std::string text = fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", left,
                                   top - 10, title);
    for (int i = 0; i <= 5; ++i) {
        const double value = lowest + (100.0 - lowest) * i / 5.0;
        text += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>"
            "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g} %</text>\n",
            left, left + width, y(value), left - 6, y(value) + 4, value);
    }
    for (const double noise : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n", x(noise),
                            top + height + 16, noise);
    }
    double legend = left;
    for (const Line& line : lines) {
        if (line.values.empty()) continue;
        std::string points;
        for (const auto& [noise, value] : line.values) {
            points += fmt::format("{:.1f},{:.1f} ", x(noise), y(value));
            text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(noise),
                                y(value), line.colour);
        }
        text += fmt::format("<polyline fill=\"none\" stroke=\"{0}\" stroke-width=\"1.8\" points=\"{1}\"/>\n",
                            line.colour, points);
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", legend,
                            top + height + 36, line.colour, line.name);
        legend += 20.0 + 7.0 * static_cast<double>(line.name.size());
    }
    return text;
}

}  // namespace

void draw_picture(const Cell& cell, const std::string& rows_path, const std::string& path) {
    const std::vector<Row> rows = read(cell, rows_path);
    std::string text =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 610\" font-family=\"sans-serif\" "
        "font-size=\"12\" fill=\"#222\">\n<title>Share of predictions within 5 %, and coverage of 90 % "
        "intervals, "
        "against noise</title>\n<rect width=\"780\" height=\"610\" fill=\"#fff\"/>\n";
    double top = 40.0;
    const std::pair<std::string, std::string> laws[]{{"independent", "gaussian"},
                                                     {"compounding", "gaussian-compounding"}};
    for (const auto& [law, gaussian] : laws) {
        std::map<double, double> limit = means(rows, gaussian, "limit", "target_within5");
        const bool is_gaussian = !limit.empty();
        if (!is_gaussian) limit = means(rows, law, "limit", "target_within5");
        text += panel(60, top, fmt::format("within 5 % at the target, {} noise", law), 0.0,
                      {{"Extra-P's choice", "#b03a2e", means(rows, law, "extra-p", "target_within5")},
                       {"plimsoll", "#1f5fa8", means(rows, law, "posterior", "target_within5")},
                       {is_gaussian ? "limit, Gaussian" : "limit", "#555", std::move(limit)}});
        text += panel(450, top, fmt::format("coverage of 90 % intervals, {} noise", law), 50.0,
                      {{"inside", "#1f5fa8", means(rows, law, "posterior", "inside_coverage")},
                       {"target", "#2e8b57", means(rows, law, "posterior", "target_coverage")},
                       {"farthest", "#b8860b", means(rows, law, "posterior", "farthest_coverage")}});
        top += 285.0;
    }
    text += "<text x=\"390\" y=\"602\" text-anchor=\"middle\">noise in per cent</text>\n</svg>\n";
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) throw CLI::ValidationError("--picture", "cannot write " + path);
}

}  // namespace plimsoll::model::accuracy
