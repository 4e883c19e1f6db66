#include "app/render/readable_formula.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/model/formula.hpp"

namespace plimsoll::app {

namespace {

/// Drops a constant and terms that are what rounding left: below 1e-12 of the largest part of the value.
model::Function without_rounding(model::Function function, const std::vector<double>& point) {
    if (point.empty() || !function.segments.empty() || function.terms.empty()) return function;
    constexpr double rounding = 1e-12;
    const auto size_of = [&](const model::Term& term) {
        return std::abs(term.coefficient * model::factor_product(term.factors, point));
    };
    double largest = std::abs(function.constant);
    for (const model::Term& term : function.terms) largest = std::max(largest, size_of(term));
    if (!std::isfinite(largest)) return function;
    if (std::abs(function.constant) < rounding * largest) function.constant = 0.0;
    std::erase_if(function.terms,
                  [&](const model::Term& term) { return size_of(term) < rounding * largest; });
    return function;
}

}  // namespace

std::string readable_formula(const model::Function& function, const model::FitDocument& document) {
    std::string text = model::formula(without_rounding(function, document.largest), document.parameters,
                                      model::FormulaStyle::text, model::FormulaDigits::four);
    constexpr std::string_view unit = "1 * ";
    for (std::size_t at = text.find(unit); at != std::string::npos; at = text.find(unit, at)) {
        const bool is_a_number = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(' || text[at - 1] == '{';
        if (is_a_number) {
            text.erase(at, unit.size());
        } else {
            at += unit.size();
        }
    }
    return text;
}

}  // namespace plimsoll::app
