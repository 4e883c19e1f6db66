#include "plimsoll/plot/detail/cairo.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::plot::detail {

namespace {

constexpr const char* library_name = "libcairo.so.2";

Error missing(const std::string& what) {
    return {ErrorKind::environment, fmt::format("pictures are drawn by Cairo, and {}", what),
            "install it (Debian: libcairo2), or draw on the terminal without -o"};
}

/// Looks functions up by their names.
class Library {
  public:
    Library() : handle_(::dlopen(library_name, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) throw missing(fmt::format("{} is not there", library_name));
    }

    template <class Function>
    void find(Function*& function, const char* name) const {
        void* const found = ::dlsym(handle_, name);
        if (found == nullptr) throw missing(fmt::format("{} has no '{}'", library_name, name));
        function = reinterpret_cast<Function*>(found);  // NOLINT(*-reinterpret-cast): as POSIX has it
    }

  private:
    void* handle_;  ///< stays open: functions of it are called until the program ends
};

Cairo load() {
    const Library library;
    Cairo c{};
    library.find(c.svg_surface_create_for_stream, "cairo_svg_surface_create_for_stream");
    library.find(c.pdf_surface_create_for_stream, "cairo_pdf_surface_create_for_stream");
    library.find(c.image_surface_create, "cairo_image_surface_create");
    library.find(c.surface_write_to_png_stream, "cairo_surface_write_to_png_stream");
    library.find(c.surface_status, "cairo_surface_status");
    library.find(c.surface_finish, "cairo_surface_finish");
    library.find(c.surface_destroy, "cairo_surface_destroy");
    library.find(c.create, "cairo_create");
    library.find(c.destroy, "cairo_destroy");
    library.find(c.status, "cairo_status");
    library.find(c.status_to_string, "cairo_status_to_string");
    library.find(c.show_page, "cairo_show_page");
    library.find(c.save, "cairo_save");
    library.find(c.restore, "cairo_restore");
    library.find(c.scale, "cairo_scale");
    library.find(c.set_source_rgba, "cairo_set_source_rgba");
    library.find(c.set_line_width, "cairo_set_line_width");
    library.find(c.set_line_join, "cairo_set_line_join");
    library.find(c.set_dash, "cairo_set_dash");
    library.find(c.new_path, "cairo_new_path");
    library.find(c.move_to, "cairo_move_to");
    library.find(c.line_to, "cairo_line_to");
    library.find(c.close_path, "cairo_close_path");
    library.find(c.rectangle, "cairo_rectangle");
    library.find(c.arc, "cairo_arc");
    library.find(c.fill, "cairo_fill");
    library.find(c.stroke, "cairo_stroke");
    library.find(c.paint, "cairo_paint");
    library.find(c.clip, "cairo_clip");
    library.find(c.select_font_face, "cairo_select_font_face");
    library.find(c.set_font_size, "cairo_set_font_size");
    library.find(c.show_text, "cairo_show_text");
    library.find(c.text_extents, "cairo_text_extents");
    return c;
}

}  // namespace

const Cairo& cairo() {
    static const Cairo loaded = load();
    return loaded;
}

}  // namespace plimsoll::plot::detail
