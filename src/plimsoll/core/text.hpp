#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// The text without blanks, tabs, carriage returns and newlines at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// The pieces between separators; an empty text gives one empty piece.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The text with ASCII capitals made small, whatever the locale.
[[nodiscard]] std::string lower_case(std::string_view text);

/// Bytes of the UTF-8 character that begins at `text[i]`, or 0 where it is not well formed.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t i);

/// Whether all of it is well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// A whole number that fills the whole text: digits with or without a minus sign. Empty where it is none, or
/// too large.
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text);

/// A decimal number that fills the whole text: digits, sign, exponent, or nan, inf, infinity in any case.
///
/// A leading `+` and single underscores between digits are understood, since Python writes and reads them.
/// Empty where the text is not such a number. Too large a number is infinite, too small a one zero.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

/// Shortest decimal text that reads back as the same double.
[[nodiscard]] std::string shortest(double value);

/// A text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quote(std::string_view text);

/// A double as a JSON value: the shortest number, or null where it is not finite.
[[nodiscard]] std::string json_number(double value);

/// Number of single-character insertions, deletions, replacements and neighbour swaps between two texts.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The candidate most like a mistyped word, if one is near enough to be meant.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

/// Whether a name fits a pattern in which `*` stands for any run of characters and `?` for one.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view name);

/// The pieces with a separator between them.
[[nodiscard]] std::string join(std::span<const std::string> pieces, std::string_view separator);

/// "p=4, n=8.5": names with their values, one for each.
[[nodiscard]] std::string assignments(std::span<const std::string> names, std::span<const double> values);

/// "1 point", "5 points".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

/// Number of columns that UTF-8 text takes on a terminal, wide and combining characters left aside.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace plimsoll
