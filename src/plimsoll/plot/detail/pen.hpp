#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/plot/detail/cairo.hpp"

namespace plimsoll::plot::detail {

struct Color {
    double red = 0.0;
    double green = 0.0;
    double blue = 0.0;
};

enum class Align { left, middle, right };

/// Text that Cairo takes: well-formed UTF-8 without control characters.
[[nodiscard]] std::string plain(std::string_view text);

/// Draws lines, letters and signs; lengths are points of print, y grows downwards.
class Pen {
  public:
    Pen(const Cairo& cairo, Cairo::Context* context);

    void color(const Color& own, double alpha = 1.0) const;
    void line(double x0, double y0, double x1, double y1, double width) const;
    /// Lengths of dashes and gaps in turn; none for a whole line.
    void dash(const std::vector<double>& lengths) const;
    void font(double size, int weight = Cairo::weight_normal) const;
    [[nodiscard]] double width(const std::string& text) const;
    void text(double x, double y, const std::string& text, Align align = Align::left) const;
    /// As much of a text as fits, by whole characters.
    [[nodiscard]] std::string fitting(const std::string& text, double room) const;
    /// The sign of a curve's measurements, round a place.
    void sign(double x, double y, std::size_t curve, double size) const;

    [[nodiscard]] const Cairo& cairo() const { return *c_; }
    [[nodiscard]] Cairo::Context* context() const { return context_; }

  private:
    const Cairo* c_;
    Cairo::Context* context_;
};

}  // namespace plimsoll::plot::detail
