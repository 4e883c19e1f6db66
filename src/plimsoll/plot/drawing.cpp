#include "plimsoll/plot/detail/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plot::detail {

namespace {

constexpr double small_text = 7.0;  // in points, as all lengths below
constexpr double title_text = 8.5;
constexpr double tick_length = 3.0;
constexpr double sign_size = 2.3;

constexpr Color ink{0.09, 0.13, 0.17};
constexpr Color soft{0.33, 0.38, 0.43};
constexpr Color faint{0.88, 0.87, 0.85};
// Okabe and Ito's, dark enough for lines on white; more curves begin anew, with other dashes.
constexpr std::array<Color, 6> colors{{{0.0, 0.447, 0.698},
                                       {0.816, 0.541, 0.0},
                                       {0.0, 0.549, 0.4},
                                       {0.69, 0.376, 0.604},
                                       {0.337, 0.639, 0.855},
                                       {0.49, 0.416, 0.235}}};
const std::array<std::vector<double>, 6> dashes{
    {{}, {5.0, 2.0}, {1.2, 1.6}, {5.0, 1.6, 1.2, 1.6}, {8.0, 2.0}, {2.5, 1.5}}};

/// Each round of the colours begins with the next dashes, so that 36 curves differ.
const std::vector<double>& dashes_of(std::size_t curve) {
    return dashes[(curve + curve / colors.size()) % dashes.size()];
}

struct Box {
    double left = 0.0;
    double top = 0.0;
    double right = 0.0;
    double bottom = 0.0;
};

/// A tick's value as print has it: a minus is no hyphen.
std::string label_of(double value) {
    std::string text = tick_text(value);
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

class Drawing {
  public:
    Drawing(const Pen& pen, const Chart& chart, double width, double height)
        : pen_(&pen), chart_(&chart), width_(width) {
        constexpr double margin = 5.0;
        pen.font(small_text);
        double labels = 0.0;
        for (const double tick : chart.y.ticks) labels = std::max(labels, pen.width(label_of(tick)));
        box_.left = margin + labels + tick_length + 3.0;
        box_.right =
            width - margin - 0.5 * (chart.x.ticks.empty() ? 0.0 : pen.width(label_of(chart.x.ticks.back())));
        head_ = margin + title_text + (chart.subtitle.empty() ? 0.0 : small_text + 3.0);
        box_.top = head_ + small_text + 9.0 + legend_height();
        box_.bottom = height - margin - 2.0 * small_text - tick_length - 5.0;
    }

    [[nodiscard]] double box_width() const { return box_.right - box_.left; }
    [[nodiscard]] double box_height() const { return box_.bottom - box_.top; }

    void draw() const {
        axes();
        const Cairo& c = pen_->cairo();
        c.save(pen_->context());
        c.rectangle(pen_->context(), box_.left, box_.top, box_.right - box_.left, box_.bottom - box_.top);
        c.clip(pen_->context());
        if (chart_->measured_to) measured_to();
        for (std::size_t i = 0; i < chart_->curves.size(); ++i) band(chart_->curves[i], i);
        for (std::size_t i = 0; i < chart_->curves.size(); ++i) curve(chart_->curves[i], i);
        c.restore(pen_->context());
        for (std::size_t i = 0; i < chart_->curves.size(); ++i) marks(chart_->curves[i], i);
        title();
        legend();
    }

  private:
    [[nodiscard]] double x_of(double value) const {
        return box_.left + (box_.right - box_.left) * place(chart_->x, value);
    }
    [[nodiscard]] double y_of(double value) const {
        return box_.bottom - (box_.bottom - box_.top) * place(chart_->y, value);
    }

    void axes() const {
        pen_->font(small_text);
        for (const double tick : chart_->y.ticks) {
            const double y = y_of(tick);
            pen_->color(faint);
            pen_->line(box_.left, y, box_.right, y, 0.5);
            pen_->color(soft);
            pen_->text(box_.left - tick_length - 2.0, y + 0.35 * small_text, label_of(tick), Align::right);
        }
        pen_->color(ink);
        pen_->line(box_.left, box_.top, box_.left, box_.bottom, 0.7);
        pen_->line(box_.left, box_.bottom, box_.right, box_.bottom, 0.7);
        for (const double tick : chart_->x.ticks) {
            pen_->color(ink);
            pen_->line(x_of(tick), box_.bottom, x_of(tick), box_.bottom + tick_length, 0.7);
        }
        pen_->color(soft);
        for (const double tick : labelled_ticks())
            pen_->text(x_of(tick), box_.bottom + tick_length + small_text + 1.0, label_of(tick),
                       Align::middle);
        pen_->color(ink);
        pen_->text(box_.right, box_.bottom + tick_length + 2.0 * small_text + 4.0, plain(chart_->x.title),
                   Align::right);
        pen_->text(box_.left, box_.top - 5.0, plain(chart_->y.title));
    }

    /// Ticks of the x axis whose labels do not overlap: both ends and the largest measured one come first.
    [[nodiscard]] std::vector<double> labelled_ticks() const {
        const std::vector<double>& ticks = chart_->x.ticks;
        std::vector<double> wanted;
        if (!ticks.empty()) wanted = {ticks.back(), ticks.front()};
        if (chart_->measured_to && std::find(ticks.begin(), ticks.end(), *chart_->measured_to) != ticks.end())
            wanted.push_back(*chart_->measured_to);
        wanted.insert(wanted.end(), ticks.begin(), ticks.end());
        std::vector<double> shown;
        for (const double tick : wanted) {
            const bool overlaps = std::any_of(shown.begin(), shown.end(), [&](double other) {
                const double room = 0.5 * (pen_->width(label_of(tick)) + pen_->width(label_of(other))) + 3.0;
                return std::abs(x_of(tick) - x_of(other)) < room;
            });
            if (!overlaps) shown.push_back(tick);
        }
        return shown;
    }

    void title() const {
        constexpr double margin = 5.0;
        pen_->font(title_text, Cairo::weight_bold);
        pen_->color(ink);
        const double room = width_ - 2.0 * margin;
        pen_->text(margin, margin + 0.8 * title_text, pen_->fitting(plain(chart_->title), room));
        pen_->font(small_text);
        pen_->color(soft);
        if (!chart_->subtitle.empty())
            pen_->text(margin, head_ - 0.15 * small_text, pen_->fitting(plain(chart_->subtitle), room));
    }

    /// Names of curves in rows, where there are several; and what the band is.
    struct Entry {
        std::string text;
        std::size_t curve = 0;
        bool is_band = false;
    };
    [[nodiscard]] std::vector<Entry> entries() const {
        std::vector<Entry> all;
        if (chart_->curves.size() > 1) {
            for (std::size_t i = 0; i < chart_->curves.size(); ++i)
                all.push_back({.text = plain(chart_->curves[i].name), .curve = i});
        } else {
            const bool has_marks = !chart_->curves.empty() && !chart_->curves.front().marks.empty();
            all.push_back({.text = has_marks ? "model and measurements" : "model"});
        }
        if (!chart_->band.empty()) all.push_back({.text = plain(chart_->band), .is_band = true});
        return all;
    }

    /// Places each entry; the height of all rows comes back.
    template <class Draw>
    double each_entry(Draw&& draw) const {
        constexpr double margin = 5.0;
        constexpr double key = 18.0;
        constexpr double gap = 10.0;
        constexpr double row = small_text + 4.0;
        pen_->font(small_text);
        double x = margin;
        double y = row;
        for (Entry entry : entries()) {
            entry.text = pen_->fitting(entry.text, width_ - 2.0 * margin - key - 4.0);
            const double wide = key + 4.0 + pen_->width(entry.text) + gap;
            if (x > margin && x + wide - gap > width_ - margin) {
                x = margin;
                y += row;
            }
            draw(entry, x, y, key);
            x += wide;
        }
        return y;
    }

    [[nodiscard]] double legend_height() const {
        return each_entry([](const Entry&, double, double, double) {});
    }

    void legend() const {
        static_cast<void>(each_entry([&](const Entry& entry, double x, double y, double key) {
            const double middle = head_ + y - 0.35 * small_text;
            const Cairo& c = pen_->cairo();
            const Color& own = colors[entry.curve % colors.size()];
            if (entry.is_band) {
                pen_->color(chart_->curves.size() > 1 ? soft : own, 0.22);
                c.rectangle(pen_->context(), x, middle - 3.0, key, 6.0);
                c.fill(pen_->context());
            } else {
                pen_->color(own);
                pen_->dash(dashes_of(entry.curve));
                pen_->line(x, middle, x + key, middle, 1.2);
                pen_->dash({});
                if (chart_->curves.size() == 1) pen_->color(ink);
                if (!chart_->curves[entry.curve].marks.empty())
                    pen_->sign(x + 0.5 * key, middle, entry.curve, sign_size);
            }
            pen_->color(ink);
            pen_->text(x + key + 4.0, head_ + y, entry.text);
        }));
    }

    void measured_to() const {
        const double x = x_of(*chart_->measured_to);
        pen_->color(soft);
        pen_->dash({1.5, 2.0});
        pen_->line(x, box_.top, x, box_.bottom, 0.6);
        pen_->dash({});
        pen_->font(small_text);
        const std::string words = "not measured";
        const double shift = x + 4.0 + pen_->width(words) < box_.right ? 4.0 : -4.0 - pen_->width(words);
        if (shift > 0.0) pen_->text(x + shift, box_.bottom - 4.0, words);
    }

    /// Both edges of the band, as far as it has values.
    void band(const Curve& curve, std::size_t number) const {
        if (chart_->band.empty()) return;
        const Cairo& c = pen_->cairo();
        const double floor = box_.bottom + (box_.bottom - box_.top);  // below what is shown
        std::vector<std::pair<double, double>> up;
        std::vector<std::pair<double, double>> down;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            const double high = y_of(curve.high[i]);
            const double low = y_of(curve.low[i]);
            if (!std::isfinite(high)) continue;
            up.emplace_back(x_of(curve.x[i]), std::clamp(high, -floor, floor));
            down.emplace_back(x_of(curve.x[i]), std::isfinite(low) ? std::clamp(low, -floor, floor) : floor);
        }
        c.new_path(pen_->context());
        for (const auto& [x, y] : up) c.line_to(pen_->context(), x, y);
        std::reverse(down.begin(), down.end());
        for (const auto& [x, y] : down) c.line_to(pen_->context(), x, y);
        c.close_path(pen_->context());
        pen_->color(colors[number % colors.size()], 0.18);
        c.fill(pen_->context());
    }

    void curve(const Curve& curve, std::size_t number) const {
        const Cairo& c = pen_->cairo();
        const double far = 4.0 * box_.bottom;
        c.new_path(pen_->context());
        bool is_down = false;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            const double y = y_of(curve.value[i]);
            if (!std::isfinite(y)) {
                is_down = false;
                continue;
            }
            const auto draw = is_down ? c.line_to : c.move_to;
            draw(pen_->context(), x_of(curve.x[i]), std::clamp(y, -far, far));
            is_down = true;
        }
        pen_->color(colors[number % colors.size()]);
        pen_->dash(dashes_of(number));
        c.set_line_width(pen_->context(), 1.2);
        c.stroke(pen_->context());
        pen_->dash({});
    }

    void marks(const Curve& curve, std::size_t number) const {
        constexpr double cap = 2.0;
        pen_->color(chart_->curves.size() > 1 ? colors[number % colors.size()] : ink);
        for (const Mark& mark : curve.marks) {
            const double x = x_of(mark.x);
            const double y = y_of(mark.value);
            if (!std::isfinite(y)) continue;
            const double low = y_of(mark.low);
            const double high = y_of(mark.high);
            if (std::isfinite(low) && std::isfinite(high) && low - high > 2.0 * sign_size) {
                pen_->line(x, low, x, high, 0.7);
                pen_->line(x - cap, low, x + cap, low, 0.7);
                pen_->line(x - cap, high, x + cap, high, 0.7);
            }
            pen_->sign(x, y, number, sign_size);
        }
    }

    const Pen* pen_;
    const Chart* chart_;
    double width_;
    double head_ = 0.0;  ///< where title and formula end
    Box box_;            ///< within the axes
};

}  // namespace

Extent least_extent(const Pen& pen, const Chart& chart, const Extent& wanted) {
    constexpr double least = 24.0;  // within the axes, three rows of text: less shows no curve
    Extent extent = wanted;
    extent.width += std::max(0.0, least - Drawing(pen, chart, extent.width, extent.height).box_width());
    // A wider picture may need fewer rows for names.
    extent.height += std::max(0.0, least - Drawing(pen, chart, extent.width, extent.height).box_height());
    return extent;
}

void draw(const Pen& pen, const Chart& chart, double width, double height) {
    Drawing(pen, chart, width, height).draw();
}

}  // namespace plimsoll::plot::detail
