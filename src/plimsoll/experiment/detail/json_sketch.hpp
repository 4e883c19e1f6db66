#pragma once

#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/input.hpp"

namespace plimsoll::experiment::detail {

/// What the first line that is not blank looks like as JSON, seen without parsing it: for detection and
/// hints.
struct JsonSketch {
    char opening = '\0';                 ///< its first character, `{` or `[` for JSON
    bool goes_on = false;                ///< its brackets are still open where the line ends
    bool has_semicolons = false;         ///< outside strings
    std::vector<std::string_view> keys;  ///< of the outermost object, as written
    std::string_view schema;             ///< value of the key `schema`

    [[nodiscard]] bool has_key(std::string_view key) const;
};

/// The text may be cut off anywhere; the sketch shows what is there of it.
[[nodiscard]] JsonSketch sketch_json(std::string_view text);

/// Throws an input error where the file cannot be of the format that the user named, since its first
/// character is none of `openings`.
void expect_opening(Input& input, std::string_view openings, std::string_view format);

/// Throws an input error with this place for semicolons in place of commas, as Talpas lines have them.
void expect_commas(std::string_view text, const Place& place);

}  // namespace plimsoll::experiment::detail
