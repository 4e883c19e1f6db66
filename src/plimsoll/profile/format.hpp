#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plimsoll/core/input.hpp"
#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/reader.hpp"

namespace plimsoll::profile {

namespace detail {
struct Sink;
}

/// One format of a profiler's files: a row of the table of formats.
struct ProfileFormat {
    std::string_view name;         ///< for --format
    std::string_view description;  ///< one line for the list of formats
    std::string_view example;      ///< how such a file comes about
    bool (*matches)(const experiment::Probe&);
    void (*read)(Input&, detail::Sink&);
    /// Formats of which a folder is one input, with files that are none; null for others.
    bool (*matches_folder)(const std::string& path) = nullptr;
    void (*read_folder)(const std::string& path, detail::Sink&, Activity&) = nullptr;
    bool yields_to_cube =
        false;  ///< where the folder holds a profile in Cube's format too, as Score-P leaves
};

/// All formats, in the order in which they are tried.
[[nodiscard]] std::span<const ProfileFormat> formats();

}  // namespace plimsoll::profile
