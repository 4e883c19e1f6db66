#include "plimsoll/measure/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <regex>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::measure {

namespace {

struct Known {
    std::string_view name;
    Source source;
    std::string_view unit;
};
constexpr std::array known_metrics{Known{"time", Source::wall, "s"},
                                   Known{"user", Source::user, "s"},
                                   Known{"system", Source::system, "s"},
                                   Known{"cpu", Source::processor, "s"},
                                   Known{"rss", Source::peak_memory, "B"},
                                   Known{"faults", Source::faults, ""},
                                   Known{"context-switches", Source::context_switches, ""},
                                   Known{"read-bytes", Source::bytes_read, "B"},
                                   Known{"write-bytes", Source::bytes_written, "B"},
                                   Known{"energy", Source::energy, "J"}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Pieces between commas; one within slashes belongs to a regular expression.
std::vector<std::string_view> pieces_of(std::string_view list) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    bool in_expression = false;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i == list.size() || (list[i] == ',' && !in_expression)) {
            pieces.push_back(trim(list.substr(begin, i - begin)));
            begin = i + 1;
            in_expression = false;
        } else if (list[i] == '\\' && in_expression) {
            ++i;
        } else if (list[i] == '/' && (in_expression || (i > 0 && list[i - 1] == ':'))) {
            in_expression = !in_expression;
        }
    }
    return pieces;
}

void check_expression(const MetricChoice& choice) {
    const std::string hint = R"(put the number into one group: stdout:/took ([0-9.]+) s/)";
    try {
        if (std::regex(choice.expression).mark_count() == 1) return;
    } catch (const std::regex_error& error) {
        throw Error(
            ErrorKind::usage,
            fmt::format("the regular expression in '{}' is not understood: {}", choice.written, error.what()),
            hint);
    }
    throw Error(ErrorKind::usage,
                fmt::format("the regular expression in '{}' has not one group", choice.written), hint);
}

[[noreturn]] void refuse_unknown(std::string_view word) {
    std::vector<std::string> names;
    names.reserve(known_metrics.size() + 3);
    for (const Known& known : known_metrics) names.emplace_back(known.name);
    names.insert(names.end(), {"stdout:LABEL", "stderr:LABEL", "file:PATH"});
    const auto near = nearest(word, names);
    throw Error(
        ErrorKind::usage, fmt::format("there is no metric '{}'", word),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("choose among {}", join(names, ", ")));
}

MetricChoice parse_metric(std::string_view text) {
    MetricChoice choice{.written = std::string(text)};
    std::string_view name;
    constexpr std::string_view as = " as ";
    if (const std::size_t at = text.rfind(as); at != std::string_view::npos) {
        name = trim(text.substr(at + as.size()));
        text = trim(text.substr(0, at));
        if (const std::size_t bracket = name.rfind('[');
            bracket != std::string_view::npos && name.ends_with(']')) {
            choice.unit = trim(name.substr(bracket + 1, name.size() - bracket - 2));
            name = trim(name.substr(0, bracket));
        }
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        const auto* const known = std::ranges::find(known_metrics, text, &Known::name);
        if (known == known_metrics.end()) refuse_unknown(text);
        choice.source = known->source;
        if (!choice.unit.empty())
            throw Error(ErrorKind::usage, fmt::format("'{}' has the unit '{}'", known->name, known->unit),
                        fmt::format("leave out [{}]", choice.unit));
        choice.unit = known->unit;
        choice.name = name.empty() ? text : name;
        return choice;
    }
    const std::string_view kind = text.substr(0, colon);
    const std::string_view what = trim(text.substr(colon + 1));
    if (kind != "stdout" && kind != "stderr" && kind != "file") refuse_unknown(text);
    if (what.empty())
        throw Error(ErrorKind::usage, fmt::format("nothing stands behind '{}:'", kind),
                    kind == "file" ? "name the file that the program writes"
                                   : "name the text beside the number: stdout:GFLOP/s");
    if (kind == "file") {
        if (!name.empty())
            throw Error(ErrorKind::usage, fmt::format("'{}' cannot be renamed", choice.written),
                        "leave out 'as': a file names its metrics itself");
        choice.source = Source::file;
        choice.path = what;
        return choice;
    }
    choice.source = kind == "stdout" ? Source::output : Source::error_output;
    if (what.size() > 2 && what.starts_with('/') && what.ends_with('/')) {
        choice.expression = what.substr(1, what.size() - 2);
        check_expression(choice);
    } else {
        choice.label = what;
    }
    choice.name = name.empty() ? what : name;
    return choice;
}

/// The number that begins the text, of several digits, with sign, point and exponent.
std::optional<double> leading_number(std::string_view text) {
    std::size_t end = 0;
    const auto skip_digits = [&] {
        const std::size_t begin = end;
        while (end < text.size() && is_digit(text[end])) ++end;
        return end - begin;
    };
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    std::size_t digits = skip_digits();
    if (end < text.size() && text[end] == '.') {
        ++end;
        digits += skip_digits();
    }
    if (digits == 0) return std::nullopt;
    const std::size_t mantissa = end;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        ++end;
        if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
        if (skip_digits() == 0) end = mantissa;
    }
    return parse_number(text.substr(0, end));
}

std::optional<double> number_behind(std::string_view text) {
    const auto skip_blanks = [&] {
        while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    };
    skip_blanks();
    if (!text.empty() && (text.front() == ':' || text.front() == '=')) text.remove_prefix(1);
    skip_blanks();
    return leading_number(text);
}

/// The number at the end of the text, blanks behind it aside.
std::optional<double> number_before(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    std::size_t begin = text.size();
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '+' ||
                         text[begin - 1] == '-'))
        --begin;
    return begin == text.size() ? std::nullopt : parse_number(text.substr(begin));
}

}  // namespace

std::vector<MetricChoice> parse_metrics(std::span<const std::string> lists) {
    std::vector<MetricChoice> choices;
    for (const std::string& list : lists) {
        for (const std::string_view piece : pieces_of(list)) {
            MetricChoice choice = parse_metric(piece);
            const bool is_known = std::ranges::any_of(choices, [&](const MetricChoice& other) {
                return choice.source != Source::file && other.name == choice.name;
            });
            if (is_known)
                throw Error(ErrorKind::usage, fmt::format("the metric '{}' is given twice", choice.name),
                            fmt::format("name one of them otherwise: '{} as NAME'", choice.written));
            choices.push_back(std::move(choice));
        }
    }
    return choices;
}

std::optional<double> find_beside(std::string_view output, std::string_view label) {
    std::optional<double> found;
    for (std::size_t at = output.find(label); at != std::string_view::npos; at = output.find(label, at + 1)) {
        const std::size_t end = at + label.size();
        if (at > 0 && is_word(label.front()) && is_word(output[at - 1])) continue;
        if (end < output.size() && is_word(label.back()) && is_word(output[end])) continue;
        const std::size_t line = at == 0 ? 0 : output.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        auto number = number_behind(output.substr(end));
        if (!number) number = number_before(output.substr(line, at - line));
        if (number && std::isfinite(*number)) found = number;
    }
    return found;
}

std::optional<double> find_by(std::string_view output, const std::string& expression) {
    constexpr std::size_t longest = 1U << 14U;  // std::regex takes stack for each character
    const std::regex pattern(expression);
    std::optional<double> found;
    for (const std::string_view whole_line : split(output, '\n')) {
        const std::string_view line = whole_line.substr(0, longest);
        std::regex_iterator match(line.begin(), line.end(), pattern);
        for (; match != decltype(match)(); ++match) {
            const auto number = parse_number(trim((*match)[1].str()));
            if (number && std::isfinite(*number)) found = number;
        }
    }
    return found;
}

}  // namespace plimsoll::measure
