#include "plimsoll/measure/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::measure {

namespace {

constexpr std::size_t most_values = 10'000;

[[noreturn]] void refuse(std::string_view name, std::string message, std::string hint) {
    throw Error(ErrorKind::usage, fmt::format("parameter '{}': {}", name, message), std::move(hint));
}

/// As programs like to read it: no exponent where it is whole.
std::string plain(double number) {
    constexpr double exactly_whole = 1e15;
    if (number == std::floor(number) && std::abs(number) < exactly_whole)
        return fmt::format("{:.0f}", number);
    return shortest(number);
}

std::optional<double> finite_number(std::string_view text) {
    const auto number = parse_number(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

/// `first..last`, with `+step` or `*factor` behind it.
void add_range(ParameterValues& parameter, std::string_view text) {
    const std::string_view name = parameter.name;
    const std::string hint = "write a range as 1..16*2 (each twice the one before) or 100..500+100";
    const std::size_t dots = text.find("..");
    std::string_view behind = text.substr(dots + 2);
    const std::size_t sign = behind.find_first_of("+*", 1);
    const bool has_step = sign != std::string_view::npos;
    const bool is_factor = has_step && behind[sign] == '*';
    const auto first = finite_number(text.substr(0, dots));
    const auto last = finite_number(behind.substr(0, sign));
    const auto step = has_step ? finite_number(behind.substr(sign + 1)) : std::optional(1.0);
    if (!first || !last || !step) refuse(name, fmt::format("'{}' is not a range", text), hint);
    if (*last < *first) refuse(name, fmt::format("the range '{}' ends before it begins", text), hint);
    if (is_factor ? *step <= 1.0 || *first <= 0.0 : *step <= 0.0)
        refuse(name, fmt::format("the range '{}' does not rise", text), hint);
    constexpr double rounding = 1e-9;  // a last value that rounding errors just miss belongs to it
    for (std::size_t i = 0;; ++i) {
        const auto count = static_cast<double>(i);
        const double value = is_factor ? *first * std::pow(*step, count) : *first + *step * count;
        if (value > *last + rounding * std::abs(*last)) return;
        if (parameter.values.size() == most_values)
            refuse(name, fmt::format("the range '{}' has more than {} values", text, most_values),
                   "take fewer, further apart");
        parameter.values.push_back({.number = value, .text = plain(value)});
    }
}

}  // namespace

void check_parameter_name(std::string_view name) {
    const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c >= 0x80;
    });
    if (!is_word)
        throw Error(ErrorKind::usage, fmt::format("'{}' is no name for a parameter", name),
                    "use letters, digits, '_', '-' and '.'");
    if (name == "run" || name == "repetition")
        throw Error(ErrorKind::usage, fmt::format("no parameter can be called '{}'", name),
                    fmt::format("choose another name: {{{}}} stands for a number of the run", name));
}

ParameterValues parse_parameter(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        throw Error(ErrorKind::usage, fmt::format("the parameter '{}' has no values", text),
                    fmt::format("write {}=1000,2000,4000", text.empty() ? "n" : text));
    }
    ParameterValues parameter{.name = std::string(trim(text.substr(0, equals))), .values = {}};
    check_parameter_name(parameter.name);
    for (const std::string_view piece : split(text.substr(equals + 1), ',')) {
        const std::string_view value = trim(piece);
        if (value.find("..") != std::string_view::npos) {
            add_range(parameter, value);
            continue;
        }
        const auto number = finite_number(value);
        if (!number)
            refuse(parameter.name, fmt::format("'{}' is not a number", value),
                   "write numbers with commas between them: n=1000,2000,4000");
        parameter.values.push_back({.number = *number, .text = std::string(value)});
    }
    std::unordered_set<double> seen;
    for (const Value& value : parameter.values) {
        if (!seen.insert(value.number).second)
            refuse(parameter.name, fmt::format("{} is given twice", value.text),
                   "give each value once: --repetitions measures it several times");
    }
    return parameter;
}

}  // namespace plimsoll::measure
