#pragma once

#include <cstddef>
#include <string>

#include "plimsoll/plot/chart.hpp"

namespace plimsoll::plot {

enum class Colors { off, on };

/// A chart for a terminal: lines in braille, two by four dots a character, with axes, ticks and a legend.
///
/// `columns` is the width of all of it (40 at least), `rows` the height of the area within the axes (5 at
/// least). Each curve has a sign of its own for its measurements and, where wanted, an ANSI colour; bands are
/// dotted at their edges. Ends with a line feed.
[[nodiscard]] std::string braille_text(const Chart& chart, std::size_t columns, std::size_t rows,
                                       Colors colors);

}  // namespace plimsoll::plot
