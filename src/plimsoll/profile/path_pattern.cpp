#include "plimsoll/profile/path_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::profile {

namespace {

constexpr std::string_view rank_name = "rank";
constexpr std::string_view repetition_name = "repetition";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Length of the number that a text starts with: digits, with a fraction where one follows; 0 for none.
std::size_t number_length(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) ++length;
    if (length == 0 || length + 1 >= text.size() || text[length] != '.' || !is_digit(text[length + 1]))
        return length;
    ++length;
    while (length < text.size() && is_digit(text[length])) ++length;
    return length;
}

/// What is nearer to the file counts.
void set(std::vector<std::pair<std::string, double>>& parameters, std::string_view name, double value) {
    for (auto& known : parameters) {
        if (known.first == name) {
            known.second = value;
            return;
        }
    }
    parameters.emplace_back(name, value);
}

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
    throw Error(ErrorKind::usage, fmt::format("--path-pattern: '{}' {}", text, what),
                "write names in braces, such as 'runs/p{p}/n{n}/rep{repetition}'");
}

using Pair = std::pair<std::string_view, double>;

/// "p4": letters and a number.
std::optional<Pair> pair_of(std::string_view piece) {
    std::size_t letters = 0;
    while (letters < piece.size() && is_letter(piece[letters])) ++letters;
    const std::string_view digits = piece.substr(letters);
    if (letters == 0 || digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
        return std::nullopt;
    return Pair(piece.substr(0, letters), parse_number(digits).value_or(0.0));
}

/// What stands behind the program in a name such as "app.p4.r1.cali"; nothing where anything else does.
std::vector<Pair> pairs_between(std::string_view name, char separator) {
    std::vector<Pair> pairs;
    const auto pieces = split(name, separator);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        if (pieces[i] == "otf2" && i + 1 == pieces.size()) break;  // an ending that looks like a number
        if (const auto pair = pair_of(pieces[i])) {
            pairs.push_back(*pair);
            continue;
        }
        // Endings such as .cali or .json.gz say nothing, and stand last.
        const bool is_ending =
            separator == '.' && !pairs.empty() && !pieces[i].empty() && is_letter(pieces[i][0]);
        if (!is_ending) return {};
    }
    return pairs;
}

}  // namespace

PathPattern::PathPattern(std::string_view text) : text_(text) {
    std::string_view rest = text;
    std::vector<std::string> names;
    while (!rest.empty()) {
        const std::size_t open = rest.find_first_of("{}");
        if (open == std::string_view::npos) break;
        const std::size_t close = rest.find_first_of("{}", open + 1);
        if (rest[open] == '}' || close == std::string_view::npos || rest[close] == '{')
            refuse(text, "has braces that do not match");
        std::string name(trim(rest.substr(open + 1, close - open - 1)));
        if (!name.empty() && std::find(names.begin(), names.end(), name) != names.end())
            refuse(text, fmt::format("names '{}' twice", name));
        names.push_back(name);
        pieces_.push_back({.text = std::string(rest.substr(0, open)), .name = std::move(name)});
        rest.remove_prefix(close + 1);
    }
    tail_ = rest;
    if (pieces_.empty()) refuse(text, "names no parameter");
}

std::optional<PathFacts> PathPattern::match(std::string_view path) const {
    for (std::size_t begin = 0; begin < path.size(); ++begin) {
        if (auto facts = match_at(path, begin)) return facts;
    }
    return std::nullopt;
}

std::optional<PathFacts> PathPattern::match_at(std::string_view path, std::size_t begin) const {
    PathFacts facts;
    facts.run = path.substr(0, begin);
    std::size_t at = begin;
    for (const Piece& piece : pieces_) {
        // A number is matched whole, so what is before it must not end within one.
        if (!path.substr(at).starts_with(piece.text)) return std::nullopt;
        if (piece.text.empty() && at > 0 && is_digit(path[at - 1])) return std::nullopt;
        at += piece.text.size();
        std::size_t length = number_length(path.substr(at));
        if (length == 0) return std::nullopt;
        // A fraction may be a number of the pattern's own: "{p}.{n}".
        const bool is_last = &piece == &pieces_.back();
        const std::string& next = is_last ? tail_ : (&piece + 1)->text;
        if (next.starts_with('.')) length = std::min(length, path.substr(at).find('.'));
        const std::string_view digits = path.substr(at, length);
        at += length;
        const double number = parse_number(digits).value_or(0.0);
        if (piece.name == rank_name) {
            facts.rank = static_cast<std::int64_t>(number);
            facts.run += piece.text;
            continue;
        }
        facts.run += piece.text;
        facts.run += digits;
        if (!piece.name.empty() && piece.name != repetition_name)
            facts.parameters.emplace_back(piece.name, number);
    }
    if (!path.substr(at).starts_with(tail_)) return std::nullopt;
    if (at < path.size() && tail_.empty() && is_digit(path[at])) return std::nullopt;
    facts.run += path.substr(at);
    return facts;
}

PathFacts facts_of_name(std::string_view path) {
    PathFacts facts;
    std::string run;
    for (const std::string_view component : split(path, '/')) {
        run += run.empty() && !path.starts_with('/') ? "" : "/";
        char separator = '.';
        std::vector<Pair> pairs = pairs_between(component, separator);
        if (pairs.empty()) {
            separator = '_';
            pairs = pairs_between(component.substr(0, component.find('.')), separator);
        }
        if (pairs.empty()) {
            run += component;
            continue;
        }
        run += component.substr(0, component.find(separator));
        for (const auto& [name, number] : pairs) {
            if (name == "mpi" || name == rank_name) {
                facts.rank = static_cast<std::int64_t>(number);
                continue;
            }
            run += fmt::format("{}{}{}", separator, name, number);
            if (name != "r" && name != "rep" && name != repetition_name) set(facts.parameters, name, number);
        }
    }
    facts.run = std::move(run);
    return facts;
}

std::optional<std::int64_t> rank_of_name(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (std::size_t at = name.find(rank_name); at != std::string_view::npos;
         at = name.find(rank_name, at + 1)) {
        std::size_t digits = at + rank_name.size();
        if (digits < name.size() && (name[digits] == '-' || name[digits] == '_')) ++digits;
        std::int64_t rank = 0;
        if (std::from_chars(name.data() + digits, name.data() + name.size(), rank).ec == std::errc() &&
            rank >= 0)
            return rank;
    }
    return std::nullopt;
}

}  // namespace plimsoll::profile
