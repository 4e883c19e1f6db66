#include "plimsoll/model/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plimsoll/core/text.hpp"
#include "plimsoll/model/detail/identifiers.hpp"
#include "plimsoll/model/growth.hpp"

namespace plimsoll::model {

namespace {

constexpr std::int64_t most_readable_denominator = 100;

using numeric::to_text;

/// A name as LaTeX sets it within a formula.
std::string latex_name(const std::string& name) {
    std::string escaped;
    for (const char c : name) {
        switch (c) {
            case '\\': escaped += "\\backslash "; break;
            case '^': escaped += "\\wedge "; break;
            case '~': escaped += "\\sim "; break;
            case ' ':
            case '_':
            case '%':
            case '#':
            case '&':
            case '$':
            case '{':
            case '}': escaped.push_back('\\'); [[fallthrough]];
            default: escaped.push_back(c);
        }
    }
    return display_width(name) == 1 ? escaped : fmt::format("\\mathit{{{}}}", escaped);
}

std::string latex_number(double value) {
    std::string text = fmt::format("{:.4g}", value);
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

class Writer {
  public:
    Writer(std::span<const std::string> parameters, FormulaStyle style, FormulaDigits digits)
        : style_(style), digits_(digits) {
        switch (style) {
            case FormulaStyle::text: names_.assign(parameters.begin(), parameters.end()); break;
            case FormulaStyle::latex:
                for (const std::string& name : parameters) names_.push_back(latex_name(name));
                break;
            case FormulaStyle::python:
            case FormulaStyle::c: names_ = detail::identifiers(parameters); break;
        }
    }

    [[nodiscard]] std::string function(const Function& f) const {
        return f.segments.empty() ? sum(f) : piecewise(f.segments, names_[f.segment_parameter]);
    }

    [[nodiscard]] std::string product(std::span<const Factor> factors) const {
        std::vector<std::string> pieces;
        for (const Factor& factor : factors) {
            if (!factor.segments.empty()) {
                pieces.push_back(piecewise(factor.segments, names_[factor.parameter]));
                continue;
            }
            const std::string& x = names_[factor.parameter];
            const bool is_of_one_less =
                factor.law.kind == LawKind::factorial && factor.exponent == Rational(-1);
            if (is_of_one_less) {  // p!/p
                pieces.push_back(factorial(x, Shift::one_less));
                if (!factor.log_exponent.is_zero())
                    pieces.push_back(power(logarithm(x), factor.log_exponent));
                continue;
            }
            if (!factor.exponent.is_zero()) pieces.push_back(power(x, factor.exponent));
            if (!factor.log_exponent.is_zero()) pieces.push_back(power(logarithm(x), factor.log_exponent));
            if (factor.law.kind == LawKind::factorial) pieces.push_back(factorial(x, Shift::none));
            if (factor.law.kind == LawKind::exponential) pieces.push_back(exponential(x, factor.law));
        }
        return pieces.empty() ? "1" : join(pieces, times());
    }

  private:
    [[nodiscard]] std::string_view times() const {
        return style_ == FormulaStyle::latex ? " \\cdot " : " * ";
    }

    [[nodiscard]] std::string number(double value) const {
        if (style_ == FormulaStyle::latex) return latex_number(value);
        return digits_ == FormulaDigits::four ? fmt::format("{:.4g}", value) : shortest(value);
    }

    [[nodiscard]] std::string logarithm(const std::string& x) const {
        switch (style_) {
            case FormulaStyle::latex: return fmt::format("\\log_2({})", x);
            case FormulaStyle::python: return fmt::format("math.log2({})", x);
            case FormulaStyle::text:
            case FormulaStyle::c: break;
        }
        return fmt::format("log2({})", x);
    }

    enum class Shift { none, one_less };

    [[nodiscard]] std::string factorial(const std::string& x, Shift shift) const {
        const bool is_less = shift == Shift::one_less;
        switch (style_) {
            case FormulaStyle::python:
                return is_less ? fmt::format("math.gamma({})", x) : fmt::format("math.gamma({} + 1)", x);
            case FormulaStyle::c:
                return is_less ? fmt::format("tgamma({})", x) : fmt::format("tgamma({} + 1.0)", x);
            case FormulaStyle::text:
            case FormulaStyle::latex: break;
        }
        return is_less ? fmt::format("({} - 1)!", x) : fmt::format("{}!", x);
    }

    [[nodiscard]] std::string argument(const std::string& x, LawArgument of) const {
        switch (of) {
            case LawArgument::root: return power(x, Rational(1, 2));
            case LawArgument::over_log: return fmt::format("{} / {}", x, logarithm(x));
            case LawArgument::linear: return x;
            case LawArgument::times_log: return x + std::string(times()) + logarithm(x);
            case LawArgument::square: break;
        }
        return power(x, Rational(2));
    }

    [[nodiscard]] std::string exponential(const std::string& x, const Law& law) const {
        std::string exponent = argument(x, law.of);
        if (law.rate != 1.0) exponent = number(law.rate) + std::string(times()) + exponent;
        switch (style_) {
            case FormulaStyle::latex: return fmt::format("2^{{{}}}", exponent);
            case FormulaStyle::python: return fmt::format("2**({})", exponent);
            case FormulaStyle::c: return fmt::format("exp2({})", exponent);
            case FormulaStyle::text: break;
        }
        return law.rate == 1.0 && law.of == LawArgument::linear ? "2^" + exponent
                                                                : fmt::format("2^({})", exponent);
    }

    /// A fraction as far as people read it as one, else a decimal number.
    [[nodiscard]] std::string exponent_text(const Rational& exponent) const {
        if (exponent.denominator() <= most_readable_denominator) return to_text(exponent);
        const bool is_short = style_ == FormulaStyle::latex || digits_ == FormulaDigits::four;
        return is_short ? fmt::format("{:.4g}", exponent.value()) : shortest(exponent.value());
    }

    [[nodiscard]] std::string power(const std::string& base, const Rational& exponent) const {
        if (exponent == Rational(1)) return base;
        switch (style_) {
            case FormulaStyle::latex: return fmt::format("{}^{{{}}}", base, exponent_text(exponent));
            case FormulaStyle::python: return fmt::format("{}**({})", base, exponent_text(exponent));
            case FormulaStyle::c:
                if (exponent.denominator() > most_readable_denominator) {
                    return fmt::format("pow({}, {})", base, exponent_text(exponent));
                }
                return exponent.is_whole() ? fmt::format("pow({}, {}.0)", base, exponent.numerator())
                                           : fmt::format("pow({}, {}.0 / {})", base, exponent.numerator(),
                                                         exponent.denominator());
            case FormulaStyle::text: break;
        }
        const bool is_number = exponent.is_whole() || exponent.denominator() > most_readable_denominator;
        const bool plain = is_number && exponent.numerator() > 0;
        return plain ? fmt::format("{}^{}", base, exponent_text(exponent))
                     : fmt::format("{}^({})", base, exponent_text(exponent));
    }

    [[nodiscard]] std::string sum(const Function& f) const {
        std::string text;
        if (f.constant != 0.0 || f.terms.empty()) text = number(f.constant);
        for (const Term& term : f.terms) {
            const bool negative = std::signbit(term.coefficient);
            const double size = std::abs(term.coefficient);
            if (text.empty()) {
                text = negative ? "-" : "";
            } else {
                text += negative ? " - " : " + ";
            }
            if (size != 1.0) text += number(size) + std::string(times());
            text += product(term.factors);
        }
        return text;
    }

    [[nodiscard]] std::string piecewise(std::span<const Segment> segments, const std::string& x) const {
        std::string text;
        for (std::size_t i = 0; i < segments.size(); ++i) {
            const bool last = i + 1 == segments.size();
            const std::string value = function(segments[i].function);
            const std::string border = number(last ? segments[i].from : segments[i].to);
            switch (style_) {
                case FormulaStyle::text:
                    text += fmt::format("{}{} for {} {} {}", i == 0 ? "{" : "; ", value, x,
                                        last ? ">" : "<=", border);
                    break;
                case FormulaStyle::latex:
                    text += fmt::format("{}{} & {} {} {}", i == 0 ? "\\begin{cases} " : " \\\\ ", value, x,
                                        last ? ">" : "\\le", border);
                    break;
                case FormulaStyle::python:
                    text +=
                        last ? value
                             : fmt::format("{}({}) if {} <= {} else ", i == 0 ? "(" : "", value, x, border);
                    break;
                case FormulaStyle::c:
                    text +=
                        last ? value : fmt::format("{}{} <= {} ? {} : ", i == 0 ? "(" : "", x, border, value);
                    break;
            }
        }
        if (style_ == FormulaStyle::latex) return text + " \\end{cases}";
        return text + (style_ == FormulaStyle::text ? "}" : ")");
    }

    FormulaStyle style_;
    FormulaDigits digits_;
    std::vector<std::string> names_;
};

}  // namespace

std::string formula(const Function& function, std::span<const std::string> parameters, FormulaStyle style,
                    FormulaDigits digits) {
    const std::string text = Writer(parameters, style, digits).function(function);
    return style == FormulaStyle::latex ? fmt::format("${}$", text) : text;
}

std::string growth(const Function& function, std::span<const std::string> parameters) {
    const Writer writer(parameters, FormulaStyle::text, FormulaDigits::exact);
    std::vector<std::string> pieces;
    for (const Order& order : growth_orders(function, parameters.size()))
        pieces.push_back(writer.product(order.factors));
    return join(pieces, " + ");
}

}  // namespace plimsoll::model
