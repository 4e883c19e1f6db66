#include "plimsoll/plot/braille.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::plot {

namespace {

constexpr std::size_t dots_across = 2;  // of a character
constexpr std::size_t dots_down = 4;
// Signs and colours of curves, in order; more curves begin anew.
constexpr std::array<std::string_view, 6> signs{"●", "▲", "■", "◆", "○", "△"};
constexpr std::array<std::string_view, 6> color_codes{"34", "33", "35", "36", "32", "31"};

/// What one character shows: dots, or a sign over them.
struct Cell {
    std::uint8_t dots = 0;
    std::string_view sign;
    std::size_t curve = 0;
};

/// U+2800 and its dots, as UTF-8.
std::string braille(std::uint8_t dots) {
    const unsigned code = 0x2800U + dots;
    return {static_cast<char>(0xE0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
            static_cast<char>(0x80U | (code & 0x3FU))};
}

class Canvas {
  public:
    Canvas(std::size_t columns, std::size_t rows, const Axis& x, const Axis& y)
        : columns_(columns), rows_(rows), x_(&x), y_(&y), cells_(columns * rows) {}

    [[nodiscard]] std::size_t dot_columns() const { return columns_ * dots_across; }
    /// Value of x at the middle of a column of dots.
    [[nodiscard]] double x_of(std::size_t dot_column) const {
        return value_at(*x_, (static_cast<double>(dot_column) + 0.5) / static_cast<double>(dot_columns()));
    }
    /// Row of dots of a value, counted from above; outside where it is not shown, not a number where it has
    /// none.
    [[nodiscard]] double dot_row(double value) const {
        return std::floor((1.0 - place(*y_, value)) * static_cast<double>(rows_ * dots_down) - rounding);
    }
    /// Column of characters of a value of x.
    [[nodiscard]] std::size_t column_of(double value) const {
        const double column = place(*x_, value) * static_cast<double>(columns_);
        return static_cast<std::size_t>(std::clamp(column, 0.0, static_cast<double>(columns_ - 1)));
    }
    [[nodiscard]] std::size_t row_of(double value) const {
        const double row = std::floor(dot_row(value) / static_cast<double>(dots_down));
        return static_cast<std::size_t>(std::clamp(row, 0.0, static_cast<double>(rows_ - 1)));
    }
    [[nodiscard]] bool shows(double value) const {
        const double row = dot_row(value);
        return row >= 0.0 && row < static_cast<double>(rows_ * dots_down);
    }

    /// Sets the dots of one column between two rows, as far as they are on the canvas.
    void dots(std::size_t column, double from, double to, std::size_t curve) {
        if (std::isnan(from) || std::isnan(to)) return;
        const auto last_row = static_cast<double>(rows_ * dots_down - 1);
        const double low = std::max(std::min(from, to), 0.0);
        const double high = std::min(std::max(from, to), last_row);
        for (double row = low; row <= high; row += 1.0) dot(column, static_cast<std::size_t>(row), curve);
    }
    void sign(double x, double value, std::string_view sign, std::size_t curve) {
        if (!shows(value)) return;
        Cell& cell = at(row_of(value), column_of(x));
        cell.sign = sign;
        cell.curve = curve;
    }
    /// A broken line from above to below behind everything else.
    void upright(double x) {
        for (std::size_t row = 0; row < rows_; ++row) {
            Cell& cell = at(row, column_of(x));
            if (cell.dots == 0 && cell.sign.empty()) cell.sign = "┊";
        }
    }
    [[nodiscard]] std::string row_text(std::size_t row, Colors use) const {
        std::string text;
        for (std::size_t column = 0; column < columns_; ++column) {
            const Cell& cell = cells_[row * columns_ + column];
            if (cell.dots == 0 && cell.sign.empty()) {
                text += ' ';
                continue;
            }
            const std::string what = cell.sign.empty() ? braille(cell.dots) : std::string(cell.sign);
            text += use == Colors::on && cell.sign != "┊"
                        ? fmt::format("\x1b[{}m{}\x1b[0m", color_codes[cell.curve % color_codes.size()], what)
                        : what;
        }
        while (text.ends_with(' ')) text.pop_back();
        return text;
    }

  private:
    static constexpr double rounding = 1e-9;

    Cell& at(std::size_t row, std::size_t column) { return cells_[row * columns_ + column]; }
    void dot(std::size_t column, std::size_t row, std::size_t curve) {
        constexpr std::array<std::array<std::uint8_t, dots_across>, dots_down> bits{
            {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
        Cell& cell = at(row / dots_down, column / dots_across);
        cell.dots |= bits[row % dots_down][column % dots_across];
        cell.curve = curve;
    }

    std::size_t columns_;
    std::size_t rows_;
    const Axis* x_;
    const Axis* y_;
    std::vector<Cell> cells_;
};

/// A value of a curve between its points, straight as its axes are.
class Between {
  public:
    Between(const std::vector<double>& x, const std::vector<double>& values, const Axis& along,
            const Axis& up)
        : x_(&x), values_(&values), along_(&along), up_(&up) {}

    double operator()(double x) const {
        const auto above = std::upper_bound(x_->begin(), x_->end(), x);
        if (above == x_->begin() || (above == x_->end() && x > x_->back())) return std::nan("");
        const auto i = static_cast<std::size_t>(above - x_->begin());
        if (above == x_->end()) return values_->back();
        const double begin = place(*along_, (*x_)[i - 1]);
        const double share = (place(*along_, x) - begin) / (place(*along_, (*x_)[i]) - begin);
        const double low = place(*up_, (*values_)[i - 1]);
        const double high = place(*up_, (*values_)[i]);
        return value_at(*up_, low + share * (high - low));
    }

  private:
    const std::vector<double>* x_;
    const std::vector<double>* values_;
    const Axis* along_;
    const Axis* up_;
};

void draw_band(const Chart& chart, const Curve& curve, std::size_t number, Canvas& canvas) {
    constexpr std::size_t every = 3;  // columns of dots
    for (const std::vector<double>* const edge : {&curve.low, &curve.high}) {
        const Between value(curve.x, *edge, chart.x, chart.y);
        for (std::size_t column = 0; column < canvas.dot_columns(); column += every) {
            const double row = canvas.dot_row(value(canvas.x_of(column)));
            canvas.dots(column, row, row, number);
        }
    }
}

void draw_line(const Chart& chart, const Curve& curve, std::size_t number, Canvas& canvas) {
    const Between value(curve.x, curve.value, chart.x, chart.y);
    double last = std::nan("");
    for (std::size_t column = 0; column < canvas.dot_columns(); ++column) {
        const double row = canvas.dot_row(value(canvas.x_of(column)));
        // From half-way to the last column's row: a steep line has no gaps, and each row once.
        const double from =
            std::isnan(last) || std::abs(row - last) <= 1.0 ? row : last + (row > last ? 1.0 : -1.0);
        canvas.dots(column, from, row, number);
        last = row;
    }
}

void draw_marks(const Curve& curve, std::size_t number, Canvas& canvas) {
    for (const Mark& mark : curve.marks) {
        const std::size_t column = dots_across * canvas.column_of(mark.x);
        canvas.dots(column, canvas.dot_row(mark.low), canvas.dot_row(mark.high), number);
    }
    for (const Mark& mark : curve.marks)
        canvas.sign(mark.x, mark.value, signs[number % signs.size()], number);
}

/// The ticks' texts in one line, each below its tick where it does not touch the one before.
std::string tick_line(const Chart& chart, const Canvas& canvas, std::size_t columns) {
    std::string line;
    for (const double tick : chart.x.ticks) {
        const std::string text = tick_text(tick);
        const std::size_t middle = canvas.column_of(tick);
        std::size_t begin = middle - std::min(middle, text.size() / 2);
        begin = std::min(begin, columns - std::min(columns, text.size()));
        if (!line.empty() && begin <= line.size()) continue;
        line.resize(begin, ' ');
        line += text;
    }
    return line;
}

std::string legend(const Chart& chart, Colors use) {
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const Curve& curve = chart.curves[i];
        const bool is_named = chart.curves.size() > 1 || !curve.name.empty();
        if (!is_named && curve.marks.empty()) continue;
        std::string sign(curve.marks.empty() ? "⠒⠒" : signs[i % signs.size()]);
        if (use == Colors::on)
            sign = fmt::format("\x1b[{}m{}\x1b[0m", color_codes[i % color_codes.size()], sign);
        pieces.push_back(fmt::format("{} {}", sign, is_named ? curve.name : "measured"));
    }
    pieces.emplace_back("⠒⠒ model");
    if (!chart.band.empty()) pieces.push_back("⠂⠐ " + chart.band);
    if (chart.measured_to) pieces.emplace_back("┊ measured up to here");
    return join(pieces, "   ");
}

}  // namespace

std::string braille_text(const Chart& chart, std::size_t columns, std::size_t rows, Colors colors) {
    PLIMSOLL_EXPECT(columns >= 40 && rows >= 5);
    std::vector<std::string> labels;
    std::size_t widest = 0;
    for (const double tick : chart.y.ticks) {
        labels.push_back(tick_text(tick));
        widest = std::max(widest, labels.back().size());
    }
    const std::size_t area = columns - widest - 2;  // a blank and the axis
    Canvas canvas(area, rows, chart.x, chart.y);
    for (std::size_t i = 0; i < chart.curves.size() && !chart.band.empty(); ++i)
        draw_band(chart, chart.curves[i], i, canvas);
    for (std::size_t i = 0; i < chart.curves.size(); ++i) draw_line(chart, chart.curves[i], i, canvas);
    for (std::size_t i = 0; i < chart.curves.size(); ++i) draw_marks(chart.curves[i], i, canvas);
    if (chart.measured_to) canvas.upright(*chart.measured_to);

    std::string text = chart.y.title + "\n";
    for (std::size_t row = 0; row < rows; ++row) {
        std::string label;
        for (std::size_t i = labels.size(); i-- > 0;) {  // where two share a row, the larger one
            if (label.empty() && canvas.row_of(chart.y.ticks[i]) == row) label = labels[i];
        }
        text += fmt::format("{:>{}} {}{}\n", label, widest, label.empty() ? "│" : "┤",
                            canvas.row_text(row, colors));
    }
    std::vector<std::string> line(area, "─");
    for (const double tick : chart.x.ticks) line[canvas.column_of(tick)] = "┬";
    text += fmt::format("{:>{}} └{}\n", "", widest, join(line, ""));
    text += fmt::format("{:>{}}  {}\n", "", widest, tick_line(chart, canvas, area));
    const std::size_t title = display_width(chart.x.title);
    text +=
        fmt::format("{:>{}}  {:>{}}{}\n", "", widest, "", (area - std::min(area, title)) / 2, chart.x.title);
    return text + legend(chart, colors) + "\n";
}

}  // namespace plimsoll::plot
