#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plimsoll/core/options.hpp"
#include "plimsoll/plot/chart.hpp"

namespace plimsoll::plot {

enum class PictureFormat { svg, png, pdf };
[[nodiscard]] constexpr std::array<EnumName<PictureFormat>, 3> enum_names(PictureFormat) {
    return {{{PictureFormat::svg, "svg"}, {PictureFormat::png, "png"}, {PictureFormat::pdf, "pdf"}}};
}

/// The format that a file's name ends with; nothing where it is none of these.
[[nodiscard]] std::optional<PictureFormat> picture_format(std::string_view path);

/// Of the whole picture, in mm.
struct PictureSize {
    double width = 120.0;
    double height = 80.0;
};

/// Charts for a paper: lines with bands and measurements on white, colours and signs that are told apart in
/// grey as well. PNG has 300 dots an inch. A PDF has a page for each chart; the others hold one alone.
///
/// The bytes of the file come back. Throws an environment error where Cairo is not installed, and a usage
/// error where the picture is too small for what stands around the curves.
[[nodiscard]] std::string picture(std::span<const Chart> charts, PictureFormat format,
                                  const PictureSize& size);

}  // namespace plimsoll::plot
