#include "plimsoll/model/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::model {

namespace {

using numeric::Rational;

constexpr const char* forms_hint =
    "write 'main->solve : O(p log p)', 'main->io <= 10 s @ p=4096' or 'efficiency(main) >= 0.7 @ p=1024'";

[[noreturn]] void fail(const Place& place, const std::string& message, const std::string& hint = forms_hint) {
    throw Error(ErrorKind::input, place, message, hint);
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The line without a comment: `#` begins one at the front, and between blanks behind it.
std::string_view without_comment(std::string_view line) {
    bool in_quotes = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') in_quotes = !in_quotes;
        if (line[i] != '#' || in_quotes) continue;
        const bool after = i == 0 || is_blank(line[i - 1]);
        const bool before = i == 0 || i + 1 == line.size() || is_blank(line[i + 1]);
        if (after && (before || trim(line.substr(0, i)).empty())) return trim(line.substr(0, i));
    }
    return trim(line);
}

/// Reads what stands between the brackets of O( ... ).
class BoundReader {
  public:
    BoundReader(std::string_view text, const Place& place) : text_(text), place_(place) {}

    [[nodiscard]] std::vector<std::vector<BoundFactor>> sum() {
        std::vector<std::vector<BoundFactor>> terms{product()};
        while (take('+')) terms.push_back(product());
        if (!is_at_end()) complain(fmt::format("'{}' is not understood", rest()));
        return terms;
    }

  private:
    [[noreturn]] void complain(const std::string& what) const {
        fail(place_, fmt::format("in O({}): {}", text_, what),
             "write products and sums such as p^0.5 log p, p^(1/2) * log2(p)^2, n^2 + p, 1");
    }

    void skip_blanks() {
        while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    }
    bool take(char wanted) {
        skip_blanks();
        if (position_ == text_.size() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }
    [[nodiscard]] bool is_at_end() {
        skip_blanks();
        return position_ == text_.size();
    }
    [[nodiscard]] std::string rest() const { return std::string(text_.substr(position_)); }

    /// A name or a number; empty where none comes.
    [[nodiscard]] std::string word() {
        skip_blanks();
        const std::size_t begin = position_;
        constexpr std::string_view ends = " \t+*^/()";
        while (position_ < text_.size() && ends.find(text_[position_]) == std::string_view::npos) ++position_;
        return std::string(text_.substr(begin, position_ - begin));
    }

    [[nodiscard]] std::vector<BoundFactor> product() {
        std::vector<BoundFactor> factors;
        bool any = false;
        for (;;) {
            const bool wants_another = take('*');
            if (wants_another && !any) complain("a product begins with '*'");
            if (is_at_end() || text_[position_] == '+') {
                if (wants_another || !any) complain("a factor is missing");
                return factors;
            }
            any = true;
            if (const auto next = factor()) add(*next, factors);
        }
    }

    void add(const BoundFactor& next, std::vector<BoundFactor>& factors) const {
        for (BoundFactor& known : factors) {
            if (known.parameter != next.parameter) continue;
            // p log p: the power and the logarithm of one parameter.
            Rational& free_one = next.exponent.is_zero() ? known.log_exponent : known.exponent;
            const Rational& value = next.exponent.is_zero() ? next.log_exponent : next.exponent;
            if (!free_one.is_zero()) {
                complain(fmt::format("'{}' stands twice in a product", next.parameter));
            }
            free_one = value;
            return;
        }
        factors.push_back(next);
    }

    /// Empty for a constant.
    [[nodiscard]] std::optional<BoundFactor> factor() {
        const std::string name = word();
        if (name.empty()) complain(fmt::format("'{}' is not understood", rest()));
        if (const auto number = parse_number(name)) {
            if (!(*number > 0.0) || !std::isfinite(*number)) complain(fmt::format("'{}' is no factor", name));
            return std::nullopt;
        }
        const bool is_log =
            name == "log" || name == "log2" || name == "log10" || name == "ln" || name == "lg";
        if (is_log) return logarithm();
        if (name == "sqrt" && take('(')) {
            BoundFactor root{
                .parameter = word(), .exponent = *numeric::parse_rational("1/2"), .log_exponent = {}};
            if (root.parameter.empty() || !take(')')) complain("write sqrt(p) for a parameter p");
            return root;
        }
        return BoundFactor{.parameter = name, .exponent = exponent_or_one(), .log_exponent = {}};
    }

    /// What follows `log`: p, (p), ^2 p, ^2(p), (p)^2.
    [[nodiscard]] BoundFactor logarithm() {
        BoundFactor result{.parameter = {}, .exponent = {}, .log_exponent = exponent_or_one()};
        const bool in_brackets = take('(');
        result.parameter = word();
        if (result.parameter.empty() || parse_number(result.parameter)) complain("log wants a parameter");
        if (in_brackets && !take(')')) complain("a bracket is not closed");
        if (position_ < text_.size() && text_[position_] == '^') {
            if (!in_brackets || result.log_exponent != Rational(1)) {
                complain("write log(p)^2 for the square of the logarithm");
            }
            result.log_exponent = exponent_or_one();
        }
        return result;
    }

    [[nodiscard]] Rational exponent_or_one() {
        if (position_ == text_.size() || text_[position_] != '^') return {1};
        ++position_;
        std::string written;
        if (take('(')) {
            const std::size_t end = text_.find(')', position_);
            if (end == std::string_view::npos) complain("a bracket is not closed");
            written = trim(text_.substr(position_, end - position_));
            position_ = end + 1;
        } else {
            written = word();
            if (position_ < text_.size() && text_[position_] == '/') {
                complain(fmt::format("write ^({}/...) with brackets", written));
            }
        }
        const auto exponent = numeric::parse_rational(written);
        if (!exponent) complain(fmt::format("'{}' is no exponent", written));
        return *exponent;
    }

    std::string_view text_;
    Place place_;
    std::size_t position_ = 0;
};

/// A number at the front of a text and what follows it; empty where there is none.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
    constexpr std::size_t longest = 40;
    for (std::size_t length = std::min(text.size(), longest); length > 0; --length) {
        const auto number = parse_number(text.substr(0, length));
        if (number && std::isfinite(*number)) return std::pair(*number, trim(text.substr(length)));
    }
    return std::nullopt;
}

bool may_be_unit(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return is_blank(c) || c == '<' || c == '>' || c == '=' || c == '@' || c == '#' ||
               std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
}

/// `p=4096, n=9000`.
void read_point(std::string_view text, Rule& rule, const Place& place) {
    constexpr const char* hint = "write a value for each parameter, such as @ p=4096, n=9000";
    for (const std::string_view piece : split(text, ',')) {
        const std::size_t equals = piece.rfind('=');
        if (equals == std::string_view::npos) {
            fail(place, fmt::format("'{}' is not of the form name=value", trim(piece)), hint);
        }
        const std::string name(trim(piece.substr(0, equals)));
        const auto value = parse_number(trim(piece.substr(equals + 1)));
        if (name.empty() || !value || !std::isfinite(*value)) {
            fail(place, fmt::format("'{}' has no name or no finite number", trim(piece)), hint);
        }
        for (const auto& known : rule.at) {
            if (known.first == name) fail(place, fmt::format("'{}' is given twice", name), hint);
        }
        rule.at.emplace_back(name, *value);
    }
}

/// `main->io [bytes]`, `"a name : of any kind"`.
void read_region(std::string_view text, Rule& rule, const Place& place) {
    std::string_view region = trim(text);
    if (region.ends_with(']')) {
        const std::size_t begin = region.rfind('[');
        const bool is_metric = begin != std::string_view::npos && begin > 0 &&
                               (is_blank(region[begin - 1]) || region[begin - 1] == '"');
        if (is_metric) {
            rule.metric = std::string(trim(region.substr(begin + 1, region.size() - begin - 2)));
            region = trim(region.substr(0, begin));
        }
    }
    if (region.size() >= 2 && region.front() == '"' && region.back() == '"') {
        region = region.substr(1, region.size() - 2);
    }
    if (region.empty()) fail(place, "the rule names no region");
    rule.region = std::string(region);
}

/// The part of a line before ` : O(`, and what lies in the brackets.
std::optional<std::pair<std::string_view, std::string_view>> split_growth(std::string_view line) {
    if (!line.ends_with(')')) return std::nullopt;
    for (std::size_t colon = line.rfind(':'); colon != std::string_view::npos && colon > 0;
         colon = line.rfind(':', colon - 1)) {
        const bool is_double = line[colon - 1] == ':' || (colon + 1 < line.size() && line[colon + 1] == ':');
        const std::string_view after = trim(line.substr(colon + 1));
        if (is_double || !after.starts_with("O(")) continue;
        return std::pair(line.substr(0, colon), after.substr(2, after.size() - 3));
    }
    return std::nullopt;
}

/// `<=` or `>=` before a quantity: the last one that one follows.
std::string_view read_comparison(std::string_view text, Rule& rule, const Place& place) {
    for (std::size_t i = text.size(); i-- > 0;) {
        if (text[i] != '<' && text[i] != '>') continue;
        if (text[i] == '>' && i > 0 && text[i - 1] == '-') continue;  // an arrow
        const bool has_equals = i + 1 < text.size() && text[i + 1] == '=';
        const auto quantity = leading_number(trim(text.substr(i + (has_equals ? 2 : 1))));
        if (!quantity || !may_be_unit(quantity->second)) continue;
        rule.relation = text[i] == '<' ? Relation::at_most : Relation::at_least;
        rule.bound = quantity->first;
        rule.unit = std::string(quantity->second);
        return trim(text.substr(0, i));
    }
    fail(place, fmt::format("'{}' has no bound", trim(text)));
}

/// The region of `efficiency(main)`; empty where the text is of another form.
std::optional<std::string_view> efficiency_of(std::string_view text, Rule& rule) {
    if (text.starts_with("weak ")) rule.scaling = experiment::Scaling::weak;
    if (text.starts_with("strong ")) rule.scaling = experiment::Scaling::strong;
    if (rule.scaling) text = trim(text.substr(text.find(' ')));
    if (text.starts_with("efficiency(") && text.ends_with(')')) {
        text.remove_prefix(std::string_view("efficiency(").size());
        text.remove_suffix(1);
        return text;
    }
    rule.scaling.reset();
    return std::nullopt;
}

}  // namespace

Rule parse_rule(std::string_view line, const Place& place) {
    Rule rule;
    rule.line = place.line;
    rule.text = std::string(trim(line));
    if (const auto growth = split_growth(rule.text)) {
        rule.kind = RuleKind::growth;
        rule.growth = BoundReader(growth->second, place).sum();
        read_region(growth->first, rule, place);
        return rule;
    }
    const std::string_view text = rule.text;
    const std::size_t sign = text.rfind('@');
    if (sign == std::string_view::npos) {
        fail(place, fmt::format("'{}' is neither a growth nor a bound at a point", text));
    }
    read_point(trim(text.substr(sign + 1)), rule, place);
    const std::string_view subject = read_comparison(text.substr(0, sign), rule, place);
    const auto region = efficiency_of(subject, rule);
    rule.kind = region ? RuleKind::efficiency : RuleKind::value;
    read_region(region.value_or(subject), rule, place);
    if (!region) return rule;
    constexpr double most = 1.5;  // no program scales so well, and a person writes 80 for 80 %
    if (rule.unit == "%") {
        rule.bound /= 100.0;
        rule.unit.clear();
    } else if (rule.unit.empty() && rule.bound > most) {
        fail(place, fmt::format("an efficiency of {} is out of reach: 1 is ideal", shortest(rule.bound)),
             fmt::format("write {} %", shortest(rule.bound)));
    }
    if (!rule.unit.empty()) {
        fail(place, fmt::format("an efficiency is in no unit, and here in '{}'", rule.unit),
             "write a number or per cent: efficiency(main) >= 70 % @ p=1024");
    }
    return rule;
}

Rules read_rules(Input& input) {
    constexpr std::size_t longest_line = 65536;
    Rules result{.file = input.name(), .rules = {}};
    LineReader lines(input, longest_line);
    std::string_view line;
    while (lines.next(line)) {
        const std::string_view text = without_comment(line);
        if (text.empty()) continue;
        result.rules.push_back(parse_rule(text, {.file = input.name(), .line = lines.number()}));
    }
    if (result.rules.empty()) fail({.file = input.name()}, "holds no rule");
    return result;
}

}  // namespace plimsoll::model
