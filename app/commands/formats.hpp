#pragma once

#include <string>
#include <vector>

namespace plimsoll::app {

struct ListedFormat {
    std::string name;         ///< for --format
    std::string description;  ///< what is read
    std::string example;      ///< how such a file comes about
};

/// The document `plimsoll.formats/1`: what is read.
struct FormatsReport {
    std::vector<ListedFormat> formats;
};

[[nodiscard]] FormatsReport list_formats();

}  // namespace plimsoll::app
