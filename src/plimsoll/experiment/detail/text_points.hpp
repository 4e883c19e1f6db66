#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::experiment::detail {

/// Coordinates of the points that one POINTS line of the text format lists, [points x parameters].
///
/// Numbers in parentheses make a point; further parentheses within are understood. Without parentheses the
/// numbers make points one after the other. Throws an input error that names the group which is no point.
[[nodiscard]] std::vector<double> parse_points(std::string_view text, std::size_t parameters,
                                               const Place& place);

/// A number of a text line. Throws an input error that names the word, and what it stands for ("DATA value").
[[nodiscard]] double parse_word(std::string_view word, std::string_view what, const Place& place);

/// Takes the next number off a text whose words are separated by blanks; empty where no word is left. Throws
/// as `parse_word` does.
[[nodiscard]] std::optional<double> take_number(std::string_view& text, std::string_view what,
                                                const Place& place);

/// Takes the next word off a text whose words are separated by blanks; empty where none is left.
[[nodiscard]] std::string_view take_word(std::string_view& text);

}  // namespace plimsoll::experiment::detail
