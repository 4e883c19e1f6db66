#include "plimsoll/profile/detail/perf_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll::profile::detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool are_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Seconds with nine decimals, as only the ends of intervals have them.
bool is_interval(std::string_view text) {
    const std::size_t point = text.find('.');
    constexpr std::size_t decimals = 9;
    return point != std::string_view::npos && are_digits(text.substr(0, point)) &&
           text.size() == point + 1 + decimals && are_digits(text.substr(point + 1));
}

/// "S0", "S0-D0-C1", "N0": a part of the machine, behind which stands how many counters were added up.
bool is_group(std::string_view text) {
    return text.size() > 1 && (text[0] == 'S' || text[0] == 'N' || text[0] == 'D') && is_digit(text[1]);
}

bool is_place(std::string_view text) {
    return is_group(text) ||
           (text.starts_with("CPU") && are_digits(text.substr(std::min<std::size_t>(3, text.size()))));
}

bool is_value(std::string_view text) { return is_not_counted(text) || perf_number(text).has_value(); }

/// Two decimals: "100.00".
bool is_share(std::string_view text) {
    const std::size_t point = text.find_first_of(".,");
    return point != std::string_view::npos && are_digits(text.substr(0, point)) &&
           are_digits(text.substr(point + 1)) && text.size() == point + 3;
}

}  // namespace

bool is_not_counted(std::string_view value) { return value.starts_with("<not "); }

std::optional<double> perf_number(std::string_view text) {
    if (text.empty() || !(is_digit(text.front()) || text.front() == '-' || text.front() == '.'))
        return std::nullopt;
    const auto commas = std::count(text.begin(), text.end(), ',');
    const auto points = std::count(text.begin(), text.end(), '.');
    if (commas == 0 && points <= 1) return parse_number(text);
    constexpr std::size_t group = 3;
    const std::size_t last = text.find_last_of(",.");
    const bool both = commas > 0 && points > 0;
    const bool last_is_decimal = both || (commas == 1 && text.size() - last - 1 != group);
    std::string plain;
    std::size_t digits = 0;  // since the last mark
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_mark = text[i] == ',' || text[i] == '.';
        // Between thousands stand marks of one kind, and three digits behind each.
        const bool follows_mark = plain.size() > digits + (text.front() == '-' ? 1U : 0U);
        if (is_mark && ((follows_mark && digits != group) || digits == 0)) return std::nullopt;
        if (is_mark && last_is_decimal && i == last) {
            plain += '.';
        } else if (is_mark && both && text[i] == text[last]) {
            return std::nullopt;
        } else if (!is_mark) {
            plain += text[i];
        }
        digits = is_mark ? 0 : digits + (is_digit(text[i]) ? 1U : 0U);
    }
    if (!last_is_decimal && digits != group) return std::nullopt;
    return parse_number(plain);
}

PerfCount perf_fields(std::string_view line, char separator) {
    const auto fields = split(line, separator);
    const auto field = [&](std::size_t i) {
        return i < fields.size() ? trim(fields[i]) : std::string_view();
    };
    PerfCount count;
    std::size_t i = 0;
    if (is_interval(field(0))) count.interval = field(i++);
    count.is_summary = field(0) == "summary";
    if (count.is_summary) ++i;
    if (!field(i).empty() && !is_value(field(i)) && (is_place(field(i)) || is_value(field(i + 1)))) {
        count.place = field(i++);
        const bool has_number = is_group(count.place) && are_digits(field(i)) && is_value(field(i + 1));
        if (has_number) ++i;
    }
    // Where a decimal comma is a separator too, what stands behind it is the next field, which is no number
    // else.
    constexpr std::size_t decimals = 2;
    const auto take_number = [&] {
        const std::string_view number = field(i++);
        const std::string_view next = field(i);
        if (separator != ',' || !are_digits(number) || !are_digits(next) || next.size() != decimals)
            return number;
        ++i;
        return std::string_view(number.data(), number.size() + 1 + next.size());
    };
    count.value = take_number();
    count.unit = field(i++);
    const std::size_t first = i;
    count.event = field(i++);
    // The terms of cpu/event=0x3c,umask=0x1/ are not quoted.
    const auto is_open = [](std::string_view event) {
        return std::count(event.begin(), event.end(), '/') % 2 != 0;
    };
    while (is_open(count.event) && i < fields.size()) {
        const std::string_view more = fields[i++];
        count.event = {fields[first].data(),
                       static_cast<std::size_t>(more.data() + more.size() - fields[first].data())};
    }
    count.is_whole = i <= fields.size() && !is_open(count.event);
    // With -G, the control group stands behind the event.
    if (!field(i).ends_with('%') && !are_digits(field(i)) && are_digits(field(i + 1)))
        count.place = field(i++);
    if (field(i).ends_with('%')) {
        count.is_mean = true;
        ++i;
    }
    count.run_time = field(i++);
    count.share = take_number();
    if (!count.event.empty() && count.share.empty()) count.is_whole = false;
    return count;
}

std::optional<char> perf_separator(std::string_view line) {
    for (const char separator : {',', ';', '\t', '|', ':', '!', '^', '~', '@', '&', '*', '='}) {
        if (line.find(separator) == std::string_view::npos) continue;
        const PerfCount count = perf_fields(line, separator);
        if (count.is_whole && is_value(count.value) &&
            std::any_of(count.event.begin(), count.event.end(), is_letter) &&
            std::none_of(count.unit.begin(), count.unit.end(), is_digit) && are_digits(count.run_time) &&
            is_share(count.share))
            return separator;
    }
    return std::nullopt;
}

PerfCount perf_members(std::string_view line) {
    PerfCount count;
    count.is_whole = false;
    std::string_view rest = trim(line);
    const auto skip_blanks = [&] {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    };
    /// What is in quotation marks at the beginning; false where they are not closed.
    const auto take_quoted = [&](std::string_view& text) {
        std::size_t end = 1;
        while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
        if (end >= rest.size()) return false;
        text = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        return true;
    };
    if (!rest.starts_with('{')) return count;
    rest.remove_prefix(1);
    while (true) {
        skip_blanks();
        if (rest.starts_with('}')) break;
        std::string_view key;
        std::string_view value;
        if (!rest.starts_with('"') || !take_quoted(key)) return count;
        skip_blanks();
        if (!rest.starts_with(':')) return count;
        rest.remove_prefix(1);
        skip_blanks();
        if (rest.starts_with('"')) {
            if (!take_quoted(value)) return count;
        } else {
            // Up to the comma in front of the next key: there may be one within a number.
            std::size_t end = rest.find_first_of(",}");
            while (end != std::string_view::npos && rest[end] == ',' &&
                   !trim(rest.substr(end + 1)).starts_with('"'))
                end = rest.find_first_of(",}", end + 1);
            if (end == std::string_view::npos) return count;
            value = trim(rest.substr(0, end));
            rest.remove_prefix(end);
        }
        skip_blanks();
        if (rest.starts_with(',')) {
            rest.remove_prefix(1);
        } else if (!rest.starts_with('}')) {
            return count;
        }
        constexpr std::array<std::string_view, 10> places{"cpu",    "core",  "socket",  "die",    "node",
                                                          "thread", "cache", "cluster", "module", "cgroup"};
        if (key == "interval") count.interval = value;
        if (key == "counter-value") count.value = trim(value);
        if (key == "unit") count.unit = value;
        if (key == "event") count.event = value;
        if (key == "variance") count.is_mean = true;
        if (key == "event-runtime") count.run_time = value;
        if (key == "pcnt-running") count.share = value;
        if (std::find(places.begin(), places.end(), key) != places.end()) count.place = value;
    }
    count.is_whole = true;
    return count;
}

}  // namespace plimsoll::profile::detail
