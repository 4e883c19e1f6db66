#include "plimsoll/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "plimsoll/core/decimal.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Underscores taken out where each stands between two digits; empty where one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            digits.push_back(text[i]);
        } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
            return std::nullopt;
        }
    }
    return digits;
}

/// What a number with too large or too small an exponent is worth: infinity or zero, with its sign.
double out_of_range(std::string_view text) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::string_view mantissa = text.substr(0, e);
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
    std::string_view exponent = text.substr(std::min(e + 1, text.size()));
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t power = 0;
    const auto [end, status] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (status == std::errc::result_out_of_range) {
        power = exponent.starts_with('-') ? std::numeric_limits<std::int32_t>::min()
                                          : std::numeric_limits<std::int32_t>::max();
    }
    // Digits in front of the point make the number large, zeros behind it make it small.
    const double magnitude = point - first + power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return text.front() == '-' ? -magnitude : magnitude;
}

}  // namespace

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    for (std::size_t end = text.find(separator); end != std::string_view::npos;
         end = text.find(separator, begin)) {
        pieces.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

std::size_t utf8_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = byte(i);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || i + length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
    }
    const unsigned second = byte(i + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second >= 0xA0;
    const bool too_large = first == 0xF4 && second >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
    }
    if (text.empty()) return std::nullopt;
    double value = 0.0;
    const auto [end, status] = read_decimal(text.data(), text.data() + text.size(), value);
    if (end == text.data() + text.size()) {
        if (status == std::errc{}) return value;
        if (status == std::errc::result_out_of_range) return out_of_range(text);
    }
    if (text.find('_') != std::string_view::npos) {
        const auto digits = without_underscores(text);
        return digits ? parse_number(*digits) : std::nullopt;
    }
    return std::nullopt;
}

std::string shortest(double value) { return fmt::format("{}", value); }

std::string json_quote(std::string_view text) {
    std::string quoted = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\\') {
            quoted.push_back('\\');
            quoted.push_back(c);
            ++i;
        } else if (c == '\n') {
            quoted += "\\n";
            ++i;
        } else if (c == '\t') {
            quoted += "\\t";
            ++i;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
            ++i;
        } else if (const std::size_t length = utf8_length(text, i); length > 0) {
            quoted += text.substr(i, length);
            i += length;
        } else {
            quoted += "\xEF\xBF\xBD";
            ++i;
        }
    }
    quoted.push_back('"');
    return quoted;
}

std::string json_number(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

int edit_distance(std::string_view a, std::string_view b) {
    std::vector<int> before(b.size() + 1);
    std::vector<int> previous(b.size() + 1);
    std::vector<int> current(b.size() + 1);
    std::iota(previous.begin(), previous.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    std::optional<std::string> best;
    int best_distance = std::max(1, static_cast<int>(word.size()) / 3) + 1;
    for (const std::string& candidate : candidates) {
        // A beginning that was cut short is meant as well: 'pred' for 'predict'.
        const bool cut_short = word.size() >= 3 && candidate.starts_with(word);
        const int distance = cut_short ? 1 : edit_distance(word, candidate);
        // A letter is like no other letter, but for its case.
        const bool has_common = distance < static_cast<int>(std::max(word.size(), candidate.size())) ||
                                lower_case(word) == lower_case(candidate);
        if (distance < best_distance && has_common) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

bool glob_match(std::string_view pattern, std::string_view name) {
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::string join(std::span<const std::string> pieces, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i > 0) text += separator;
        text += pieces[i];
    }
    return text;
}

std::string assignments(std::span<const std::string> names, std::span<const double> values) {
    PLIMSOLL_EXPECT(names.size() == values.size());
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < names.size(); ++i)
        pieces.push_back(fmt::format("{}={}", names[i], shortest(values[i])));
    return join(pieces, ", ");
}

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t display_width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace plimsoll
