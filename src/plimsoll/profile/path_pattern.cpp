#include "plimsoll/profile/path_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Endings that look like a letter and a number.
bool is_format_name(std::string_view ending) { return ending == "otf2" || ending == "sqlite3"; }

using Pair = std::pair<std::string_view, double>;

constexpr double most_ranks = 1e9;

/// "p4" or "p=4": letters and a number.
std::optional<Pair> pair_of(std::string_view piece) {
    std::size_t letters = 0;
    while (letters < piece.size() && is_letter(piece[letters])) ++letters;
    const std::string_view digits = piece.substr(letters + (piece.substr(letters).starts_with('=') ? 1 : 0));
    if (letters == 0 || digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
        return std::nullopt;
    return Pair(piece.substr(0, letters), parse_number(digits).value_or(0.0));
}

/// What stands behind the program in a name such as "app.p4.r1.cali"; nothing where anything else does.
std::vector<Pair> pairs_between(std::string_view name, char separator) {
    std::vector<Pair> pairs;
    const auto pieces = split(name, separator);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        if (is_format_name(pieces[i]) && i + 1 == pieces.size()) break;
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

/// What a file or a folder says by its name.
std::vector<Pair> pairs_of(std::string_view name, bool is_folder) {
    std::vector<Pair> pairs = pairs_between(name, '.');
    const std::string_view stem = name.substr(0, name.find('.'));
    for (const char separator : {'_', '-'}) {
        std::vector<Pair> others = pairs_between(stem, separator);
        if (others.empty()) continue;
        // Without a program in front, the first piece is one of them: p4-n100.
        if (const auto first = pair_of(stem.substr(0, stem.find(separator)));
            first && first->first.size() == 1)
            others.insert(others.begin(), *first);
        pairs.insert(pairs.begin(), others.begin(), others.end());
        break;
    }
    // A folder may be named for one alone: n100, or n=100.
    if (pairs.empty() && is_folder) {
        if (const auto pair = pair_of(name)) pairs.push_back(*pair);
    }
    return pairs;
}

/// Numbers that tell runs apart, and are no parameters.
bool is_number_of_run(std::string_view name) {
    constexpr std::array<std::string_view, 10> names{"r",   "rep", "repetition", "run", "trial",
                                                     "try", "job", "jobid",      "pid", "id"};
    return std::find(names.begin(), names.end(), name) != names.end();
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

bool PathPattern::names_parameters() const {
    return std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) {
        return !piece.name.empty() && piece.name != rank_name && piece.name != repetition_name;
    });
}

std::optional<PathFacts> PathPattern::match(std::string_view path) const {
    // Nearest to the file, and not within a word: the n of "run1/n100" stands in front of 100.
    const bool begins_with_word = !pieces_.front().text.empty() && is_letter(pieces_.front().text.front());
    for (std::size_t begin = path.size(); begin-- > 0;) {
        if (begins_with_word && begin > 0 && is_letter(path[begin - 1])) continue;
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
            if (number < most_ranks) facts.rank = static_cast<std::int64_t>(number);
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
    const auto components = split(path, '/');
    for (const std::string_view& component : components) {
        run += run.empty() && !path.starts_with('/') ? "" : "/";
        const bool is_folder = &component != &components.back();
        const std::vector<Pair> pairs = pairs_of(component, is_folder);
        // Without the number of the process, names of one run are the same.
        std::string name(component);
        for (const auto& [what, number] : pairs) {
            if (what == "mpi" || what == rank_name) {
                if (number >= most_ranks) continue;
                facts.rank = static_cast<std::int64_t>(number);
                const std::size_t at = static_cast<std::size_t>(what.data() - component.data()) + what.size();
                std::size_t end = at;
                while (end < component.size() && (is_digit(component[end]) || component[end] == '=')) ++end;
                name = std::string(component.substr(0, at)) + std::string(component.substr(end));
            } else if (!is_number_of_run(what)) {
                set(facts.parameters, what, number);
            }
        }
        run += name;
    }
    facts.run = std::move(run);
    return facts;
}

std::optional<std::int64_t> rank_of_name(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (std::size_t at = name.find(rank_name); at != std::string_view::npos;
         at = name.find(rank_name, at + 1)) {
        if (at > 0 && is_letter(name[at - 1])) continue;
        std::size_t digits = at + rank_name.size();
        if (digits < name.size() && (name[digits] == '-' || name[digits] == '_')) ++digits;
        std::int64_t rank = 0;
        if (std::from_chars(name.data() + digits, name.data() + name.size(), rank).ec == std::errc() &&
            rank >= 0 && static_cast<double>(rank) < most_ranks)
            return rank;
    }
    return facts_of_name(path).rank;
}

}  // namespace plimsoll::profile
