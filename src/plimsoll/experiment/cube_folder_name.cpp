#include "plimsoll/experiment/detail/cube_folder_name.hpp"

#include <algorithm>
#include <cmath>

#include "plimsoll/core/text.hpp"

namespace plimsoll::experiment::detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// ASCII letters, and all bytes of letters beyond ASCII.
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool is_sign(char c) { return c == '-' || c == '+'; }

/// Takes the text apart from its front.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    [[nodiscard]] std::string_view rest() const { return rest_; }
    [[nodiscard]] char at(std::size_t i) const { return i < rest_.size() ? rest_[i] : '\0'; }
    [[nodiscard]] bool finished() const { return rest_.empty(); }

    std::string_view take(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    template <class Predicate>
    std::string_view take_while(Predicate predicate) {
        return take(static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), predicate) -
                                             rest_.begin()));
    }

  private:
    std::string_view rest_;
};

/// A name with what joins it to its value; empty where there is none.
std::string_view take_name(Scanner& scanner) {
    if (!is_letter(scanner.at(0))) return {};
    const auto is_inside = [](char c) { return is_letter(c) || c == '_' || c == '-' || c == ' '; };
    std::size_t end = 0;  // behind the last letter of the run
    for (std::size_t i = 0; is_inside(scanner.at(i)); ++i) {
        if (is_letter(scanner.at(i))) end = i + 1;
    }
    const std::string_view name = scanner.take(end);
    if (scanner.at(0) == '=' || scanner.at(0) == '_') scanner.take(1);
    return name;
}

/// A number in the spelling of folder names; empty where there is none.
std::optional<double> take_value(Scanner& scanner) {
    std::string number;
    if (is_sign(scanner.at(0))) number += scanner.take(1);
    if (!is_digit(scanner.at(0))) return std::nullopt;
    number += scanner.take_while(is_digit);
    if ((scanner.at(0) == '.' || scanner.at(0) == ',') && is_digit(scanner.at(1))) {
        scanner.take(1);
        number += '.';
        number += scanner.take_while(is_digit);
    }
    const bool has_exponent =
        (scanner.at(0) == 'e' || scanner.at(0) == 'E') && is_sign(scanner.at(1)) && is_digit(scanner.at(2));
    if (has_exponent) {
        number += scanner.take(2);
        number += scanner.take_while(is_digit);
    }
    const std::optional<double> value = parse_number(number);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// `.r` and digits, to the end of the text.
bool is_repetition(std::string_view rest) {
    return rest.size() > 2 && rest.starts_with(".r") && std::all_of(rest.begin() + 2, rest.end(), is_digit);
}

std::optional<CubeFolderName> parse_without_prefix(std::string_view text) {
    CubeFolderName folder;
    Scanner scanner(text);
    while (true) {
        const bool adjoins_value = !folder.names.empty() && is_letter(scanner.at(0));
        if (!folder.names.empty() && std::string_view(".,_-").find(scanner.at(0)) != std::string_view::npos) {
            scanner.take(1);
        }
        const std::string_view name = take_name(scanner);
        if (name.empty() || std::ranges::find(folder.names, name) != folder.names.end()) return std::nullopt;
        folder.doubtful_exponent |= adjoins_value && (name == "e" || name == "E") && is_digit(scanner.at(0));
        const std::optional<double> value = take_value(scanner);
        if (!value) return std::nullopt;
        folder.names.emplace_back(name);
        folder.values.push_back(*value);
        if (scanner.finished() || is_repetition(scanner.rest())) return folder;
    }
}

}  // namespace

std::optional<CubeFolderName> parse_cube_folder_name(std::string_view text) {
    if (auto folder = parse_without_prefix(text)) return folder;
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos || point == 0) return std::nullopt;
    return parse_without_prefix(text.substr(point + 1));
}

}  // namespace plimsoll::experiment::detail
