#include "plimsoll/plot/detail/pen.hpp"

#include <algorithm>
#include <initializer_list>
#include <numbers>
#include <utility>

#include "plimsoll/core/text.hpp"

namespace plimsoll::plot::detail {

std::string plain(std::string_view text) {
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        if (length == 0) {
            shown += "\xEF\xBF\xBD";
        } else if (length == 1 && static_cast<unsigned char>(text[i]) < 0x20) {
            shown += ' ';
        } else {
            shown += text.substr(i, length);
        }
        i += std::max<std::size_t>(length, 1);
    }
    return shown;
}

Pen::Pen(const Cairo& cairo, Cairo::Context* context) : c_(&cairo), context_(context) {
    c_->set_line_join(context_, Cairo::line_join_round);
}

void Pen::color(const Color& own, double alpha) const {
    c_->set_source_rgba(context_, own.red, own.green, own.blue, alpha);
}

void Pen::line(double x0, double y0, double x1, double y1, double width) const {
    c_->set_line_width(context_, width);
    c_->move_to(context_, x0, y0);
    c_->line_to(context_, x1, y1);
    c_->stroke(context_);
}

void Pen::dash(const std::vector<double>& lengths) const {
    c_->set_dash(context_, lengths.data(), static_cast<int>(lengths.size()), 0.0);
}

void Pen::font(double size, int weight) const {
    c_->select_font_face(context_, "sans-serif", Cairo::slant_normal, weight);
    c_->set_font_size(context_, size);
}

double Pen::width(const std::string& text) const {
    Cairo::Extents extents{};
    c_->text_extents(context_, text.c_str(), &extents);
    return extents.x_advance;
}

void Pen::text(double x, double y, const std::string& text, Align align) const {
    const double shift = align == Align::left ? 0.0 : width(text) * (align == Align::middle ? 0.5 : 1.0);
    c_->move_to(context_, x - shift, y);
    c_->show_text(context_, text.c_str());
    c_->new_path(context_);
}

std::string Pen::fitting(const std::string& text, double room) const {
    if (width(text) <= room) return text;
    std::string shown;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = std::max<std::size_t>(utf8_length(text, i), 1);
        if (width(shown + text.substr(i, length) + "…") > room) break;
        shown += text.substr(i, length);
        i += length;
    }
    return shown + "…";
}

void Pen::sign(double x, double y, std::size_t curve, double size) const {
    const auto shape = [&](std::initializer_list<std::pair<double, double>> corners) {
        for (const auto& [dx, dy] : corners) c_->line_to(context_, x + size * dx, y + size * dy);
        c_->close_path(context_);
    };
    c_->new_path(context_);
    switch (curve % 4) {
        case 0: c_->arc(context_, x, y, size, 0.0, 2.0 * std::numbers::pi); break;
        case 1: shape({{0.0, -1.25}, {1.15, 0.85}, {-1.15, 0.85}}); break;
        case 2: c_->rectangle(context_, x - 0.9 * size, y - 0.9 * size, 1.8 * size, 1.8 * size); break;
        default: shape({{0.0, -1.35}, {1.2, 0.0}, {0.0, 1.35}, {-1.2, 0.0}});
    }
    c_->fill(context_);
}

}  // namespace plimsoll::plot::detail
