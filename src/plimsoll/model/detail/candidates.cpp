#include "plimsoll/model/detail/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::model::detail {

namespace {

struct Entry {
    int numerator;
    int denominator;
    int log_exponent;
};

// Order and content are those of Extra-P 4.2.5.
constexpr std::array<Entry, 42> with_logarithms{
    {{0, 1, 1}, {0, 1, 2}, {1, 4, 0}, {1, 3, 0},  {1, 4, 1}, {1, 3, 1}, {1, 4, 2}, {1, 3, 2}, {1, 2, 0},
     {1, 2, 1}, {1, 2, 2}, {2, 3, 0}, {3, 4, 0},  {2, 3, 1}, {3, 4, 1}, {4, 5, 0}, {2, 3, 2}, {3, 4, 2},
     {1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {5, 4, 0},  {5, 4, 1}, {4, 3, 0}, {4, 3, 1}, {3, 2, 0}, {3, 2, 1},
     {3, 2, 2}, {5, 3, 0}, {7, 4, 0}, {2, 1, 0},  {2, 1, 1}, {2, 1, 2}, {9, 4, 0}, {7, 3, 0}, {5, 2, 0},
     {5, 2, 1}, {5, 2, 2}, {8, 3, 0}, {11, 4, 0}, {3, 1, 0}, {3, 1, 1}}};

constexpr std::array<Entry, 19> pure_powers{{{1, 4, 0},
                                             {1, 3, 0},
                                             {1, 2, 0},
                                             {2, 3, 0},
                                             {3, 4, 0},
                                             {4, 5, 0},
                                             {1, 1, 0},
                                             {5, 4, 0},
                                             {4, 3, 0},
                                             {3, 2, 0},
                                             {5, 3, 0},
                                             {7, 4, 0},
                                             {2, 1, 0},
                                             {9, 4, 0},
                                             {7, 3, 0},
                                             {5, 2, 0},
                                             {8, 3, 0},
                                             {11, 4, 0},
                                             {3, 1, 0}}};

void append_defaults(std::vector<Form>& forms, const FitOptions& options) {
    const auto append = [&](const Entry& e, int sign) {
        forms.push_back({Rational(sign * e.numerator, e.denominator), Rational(sign * e.log_exponent)});
    };
    if (options.logarithms) {
        for (const Entry& entry : with_logarithms) append(entry, 1);
    } else {
        for (const Entry& entry : pure_powers) append(entry, 1);
    }
    if (!options.negative_exponents) return;
    if (options.logarithms) {
        for (const Entry& entry : with_logarithms) {
            if (entry.log_exponent != 0) append(entry, -1);
        }
    }
    for (const Entry& entry : pure_powers) append(entry, -1);
}

std::vector<Rational> parse_exponents(std::string_view option, std::string_view list) {
    std::vector<Rational> exponents;
    if (trim(list).empty()) return exponents;
    for (const std::string_view item : split(list, ',')) {
        const auto exponent = numeric::parse_rational(item);
        if (!exponent) {
            throw Error(ErrorKind::usage, fmt::format("--{}: '{}' is no exponent", option, trim(item)),
                        "give whole numbers, fractions or decimals, such as 0,1/2,0.75,2");
        }
        exponents.push_back(*exponent);
    }
    return exponents;
}

}  // namespace

std::vector<Form> candidate_forms(const FitOptions& options) {
    const std::vector<Rational> powers = parse_exponents("exponents", options.exponents);
    const std::vector<Rational> logs = parse_exponents("log-exponents", options.log_exponents);
    std::vector<Form> forms;
    if (powers.empty() && logs.empty()) {
        append_defaults(forms, options);
        return forms;
    }
    const auto append = [&](const Form& form) {
        if (!form.exponent.is_zero() || !form.log_exponent.is_zero()) forms.push_back(form);
    };
    if (options.exponent_use != ExponentUse::pairs) {
        for (const Rational& power : powers) append({power, Rational(0)});
        for (const Rational& log : logs) append({Rational(0), log});
    }
    for (const Rational& power : powers) {
        for (const Rational& log : logs) append({power, log});
    }
    if (options.exponent_use == ExponentUse::added) append_defaults(forms, options);
    return forms;
}

}  // namespace plimsoll::model::detail
