#include "plimsoll/plot/braille.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll::plot {
namespace {

/// The line y = x from 0 to 10, measured at 0, 5 and 10.
Chart diagonal() {
    Chart chart;
    chart.x = {.title = "p", .low = 0.0, .high = 10.0, .ticks = {0.0, 5.0, 10.0}};
    chart.y = {.title = "time [s]", .low = 0.0, .high = 10.0, .ticks = {0.0, 5.0, 10.0}};
    chart.curves = {{.name = {},
                     .x = {0.0, 10.0},
                     .value = {0.0, 10.0},
                     .low = {0.0, 10.0},
                     .high = {0.0, 10.0},
                     .marks = {{.x = 5.0, .value = 5.0, .low = 5.0, .high = 5.0}}}};
    return chart;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Dots of a character, 0 where it is none of braille.
unsigned dots_of(const std::string& line, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(line[i]); };
    if (byte(at) != 0xE2 || (byte(at + 1) & 0xFCU) != 0xA0) {
        at += byte(at) < 0x80 ? 1 : 3;
        return 0;
    }
    const unsigned code = (byte(at + 1) & 0x3FU) << 6U | (byte(at + 2) & 0x3FU);
    at += 3;
    return code & 0xFFU;
}

// Each column of dots has its own, the next one as high or higher, from the lower left to the upper right
// corner.
TEST(Braille, DrawsALineThroughAllColumns) {
    Chart chart = diagonal();
    chart.curves.front().marks.clear();
    constexpr std::size_t rows = 6;
    const std::vector<std::string> lines = lines_of(braille_text(chart, 40, rows, Colors::off));
    constexpr std::size_t area = 40 - 2 - 2;
    std::vector<int> lowest(2 * area, -1);
    std::vector<int> highest(2 * area, -1);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::string& line = lines[row + 1];
        std::size_t at = 3 + std::string("│").size();
        for (std::size_t column = 0; at < line.size(); ++column) {
            const unsigned dots = dots_of(line, at);
            constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
            for (std::size_t k = 0; k < 8; ++k) {
                if ((dots & bits[k / 2][k % 2]) == 0) continue;
                const int height = static_cast<int>(4 * (rows - row) - k / 2) - 1;
                int& low = lowest[2 * column + k % 2];
                low = low < 0 ? height : std::min(low, height);
                highest[2 * column + k % 2] = std::max(highest[2 * column + k % 2], height);
            }
        }
    }
    EXPECT_EQ(0, lowest.front());
    EXPECT_EQ(static_cast<int>(4 * rows) - 1, highest.back());
    for (std::size_t c = 0; c < lowest.size(); ++c) {
        ASSERT_GE(lowest[c], 0) << "column " << c;
        const double expected =
            (static_cast<double>(c) + 0.5) / static_cast<double>(lowest.size()) * 4.0 * rows;
        EXPECT_LE(std::abs(lowest[c] + 0.5 - expected), 1.0) << "column " << c;
    }
}

TEST(Braille, PutsTicksMeasurementsAndALegendAround) {
    Chart chart = diagonal();
    chart.measured_to = 5.0;
    const std::string text = braille_text(chart, 40, 5, Colors::off);
    EXPECT_TRUE(text.starts_with("time [s]\n10 ┤")) << text;
    EXPECT_NE(std::string::npos, text.find("●")) << text;
    EXPECT_NE(std::string::npos, text.find("● measured   ⠒⠒ model   ┊ measured up to here")) << text;
    EXPECT_EQ(std::string::npos, text.find('\x1b')) << text;
    EXPECT_NE(std::string::npos, braille_text(chart, 40, 5, Colors::on).find("\x1b[34m●"))
        << "coloured where asked";
    chart.band = "90 % interval";
    chart.curves.front().name = "n=1";
    chart.curves.push_back(chart.curves.front());
    chart.curves.back().name = "n=2";
    EXPECT_NE(std::string::npos,
              braille_text(chart, 40, 5, Colors::off).find("● n=1   ▲ n=2   ⠒⠒ model   ⠂⠐ 90 % interval"));
}

TEST(Braille, LeavesOutWhatHasNoValue) {
    Chart chart = diagonal();
    chart.y.scale = Scale::logarithmic;
    chart.y.low = 1.0;
    chart.curves.front().value = {std::nan(""), std::nan("")};
    chart.curves.front().marks = {{.x = 5.0, .value = -1.0, .low = -2.0, .high = 0.0}};
    const std::vector<std::string> lines = lines_of(braille_text(chart, 40, 5, Colors::off));
    for (std::size_t row = 1; row <= 5; ++row) EXPECT_LE(display_width(lines[row]), 4U) << lines[row];
}

TEST(Braille, IsAsWideAndHighAsAsked) {
    for (const std::size_t columns : {40U, 60U, 100U}) {
        const std::vector<std::string> lines = lines_of(braille_text(diagonal(), columns, 8, Colors::off));
        ASSERT_EQ(1U + 8U + 3U + 1U, lines.size());
        for (std::size_t i = 0; i + 1 < lines.size(); ++i)
            EXPECT_LE(display_width(lines[i]), columns) << lines[i];
        EXPECT_EQ(columns, display_width(lines[9]));  // the axis
    }
}

}  // namespace
}  // namespace plimsoll::plot
