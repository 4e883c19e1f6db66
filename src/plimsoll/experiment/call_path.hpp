#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::experiment {

/// What stands between the levels of a path in the call tree: `main->solve->exchange`.
inline constexpr std::string_view arrow = "->";

/// Position of the next arrow between two levels of a path, `npos` where there is none. The arrow of C++'s
/// `operator->` and `operator->*` belongs to the name.
[[nodiscard]] std::size_t find_arrow(std::string_view path, std::size_t from = 0);

/// The path without its last level, empty where there is none above it.
[[nodiscard]] std::string_view path_above(std::string_view path);

/// The path of a region below another one.
[[nodiscard]] std::string path_below(std::string_view above, std::string_view name);

/// What may be meant by a name or pattern that fits none of the regions: a pattern for regions at the end of
/// longer paths, `*halo`, else the nearest path, else a pattern for paths that hold it.
[[nodiscard]] std::optional<std::string> meant_regions(std::string_view pattern,
                                                       std::span<const std::string> regions);

}  // namespace plimsoll::experiment
