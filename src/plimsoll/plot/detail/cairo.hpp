#pragma once

#include <string>

namespace plimsoll::plot::detail {

/// What is used of Cairo (libcairo.so.2), which is looked for when a picture is drawn and not before: the
/// program starts as fast without it, and runs where it is not installed.
///
/// Types and values are those of cairo.h, whose binary interface has been the same since version 1.0 (2005);
/// the names are its own without their prefix.
struct Cairo {
    struct Context;
    struct Surface;
    struct Extents {
        double x_bearing, y_bearing, width, height, x_advance, y_advance;
    };
    using Status = int;  ///< 0: all well
    static constexpr int slant_normal = 0;
    static constexpr int weight_normal = 0;
    static constexpr int weight_bold = 1;
    static constexpr int line_join_round = 1;
    static constexpr int format_rgb24 = 1;
    /// Takes what is written; `closure` is the caller's.
    using Write = Status (*)(void* closure, const unsigned char* data, unsigned length);

    Surface* (*svg_surface_create_for_stream)(Write, void* closure, double width, double height);  // points
    Surface* (*pdf_surface_create_for_stream)(Write, void* closure, double width, double height);
    Surface* (*image_surface_create)(int format, int width, int height);
    Status (*surface_write_to_png_stream)(Surface*, Write, void* closure);
    Status (*surface_status)(Surface*);
    void (*surface_finish)(Surface*);
    void (*surface_destroy)(Surface*);

    Context* (*create)(Surface*);
    void (*destroy)(Context*);
    Status (*status)(Context*);
    const char* (*status_to_string)(Status);
    void (*show_page)(Context*);
    void (*save)(Context*);
    void (*restore)(Context*);
    void (*scale)(Context*, double x, double y);

    void (*set_source_rgba)(Context*, double red, double green, double blue, double alpha);
    void (*set_line_width)(Context*, double width);
    void (*set_line_join)(Context*, int join);
    void (*set_dash)(Context*, const double* dashes, int number, double offset);
    void (*new_path)(Context*);
    void (*move_to)(Context*, double x, double y);
    void (*line_to)(Context*, double x, double y);
    void (*close_path)(Context*);
    void (*rectangle)(Context*, double x, double y, double width, double height);
    void (*arc)(Context*, double x, double y, double radius, double from, double to);
    void (*fill)(Context*);
    void (*stroke)(Context*);
    void (*paint)(Context*);
    void (*clip)(Context*);

    void (*select_font_face)(Context*, const char* family, int slant, int weight);
    void (*set_font_size)(Context*, double size);
    void (*show_text)(Context*, const char* text);
    void (*text_extents)(Context*, const char* text, Extents*);
};

/// The library, looked for once. Throws an environment error where it is not there.
[[nodiscard]] const Cairo& cairo();

}  // namespace plimsoll::plot::detail
