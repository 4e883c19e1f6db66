#include "plimsoll/plot/picture.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/plot/detail/cairo.hpp"
#include "plimsoll/plot/detail/drawing.hpp"
#include "plimsoll/plot/detail/pen.hpp"

namespace plimsoll::plot {

namespace {

using detail::Cairo;

constexpr double point = 72.0 / 25.4;  // of a mm
constexpr double dots_an_inch = 300.0;

Cairo::Status append(void* closure, const unsigned char* data, unsigned length) {
    // NOLINTNEXTLINE(*-reinterpret-cast): bytes are bytes
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
    return 0;
}

void expect_well(const Cairo& c, Cairo::Status status) {
    if (status == 0) return;
    throw Error(ErrorKind::environment,
                fmt::format("Cairo cannot draw the picture: {}", c.status_to_string(status)),
                "install fonts (Debian: fonts-dejavu-core), or choose a smaller --size");
}

/// Throws a usage error where names and numbers leave no room within the axes.
void expect_room(const detail::Pen& pen, std::span<const Chart> charts, const PictureSize& size) {
    const detail::Extent given{.width = size.width * point, .height = size.height * point};
    detail::Extent least = given;
    for (const Chart& chart : charts) least = detail::least_extent(pen, chart, least);
    if (least.width <= given.width && least.height <= given.height) return;
    throw Error(
        ErrorKind::usage,
        fmt::format("--size: {}x{} leaves no room for curves", shortest(size.width), shortest(size.height)),
        fmt::format("give at least {}x{}",
                    shortest(least.width <= given.width ? size.width : std::ceil(least.width / point)),
                    shortest(least.height <= given.height ? size.height : std::ceil(least.height / point))));
}

}  // namespace

std::optional<PictureFormat> picture_format(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string end = lower_case(path.substr(dot + 1));
    for (const auto& entry : enum_names(PictureFormat::svg)) {
        if (entry.name == end) return entry.value;
    }
    return std::nullopt;
}

std::string picture(std::span<const Chart> charts, PictureFormat format, const PictureSize& size) {
    PLIMSOLL_EXPECT(!charts.empty() && (charts.size() == 1 || format == PictureFormat::pdf));
    const Cairo& c = detail::cairo();
    const double width = size.width * point;
    const double height = size.height * point;
    const double finer = dots_an_inch / 72.0;
    std::string bytes;
    Cairo::Surface* made = nullptr;
    switch (format) {
        case PictureFormat::svg: made = c.svg_surface_create_for_stream(append, &bytes, width, height); break;
        case PictureFormat::pdf: made = c.pdf_surface_create_for_stream(append, &bytes, width, height); break;
        case PictureFormat::png:
            made = c.image_surface_create(Cairo::format_rgb24, static_cast<int>(std::lround(width * finer)),
                                          static_cast<int>(std::lround(height * finer)));
    }
    const std::unique_ptr<Cairo::Surface, void (*)(Cairo::Surface*)> surface(made, c.surface_destroy);
    const std::unique_ptr<Cairo::Context, void (*)(Cairo::Context*)> context(c.create(surface.get()),
                                                                             c.destroy);
    if (format == PictureFormat::png) c.scale(context.get(), finer, finer);
    const detail::Pen pen(c, context.get());
    expect_room(pen, charts, size);
    for (const Chart& chart : charts) {
        pen.color({1.0, 1.0, 1.0});
        c.paint(context.get());
        detail::draw(pen, chart, width, height);
        c.show_page(context.get());
    }
    expect_well(c, c.status(context.get()));
    if (format == PictureFormat::png)
        expect_well(c, c.surface_write_to_png_stream(surface.get(), append, &bytes));
    c.surface_finish(surface.get());
    expect_well(c, c.surface_status(surface.get()));
    return bytes;
}

}  // namespace plimsoll::plot
