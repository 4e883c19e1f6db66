#pragma once

#include <array>
#include <span>
#include <string>

#include "plimsoll/core/options.hpp"
#include "plimsoll/model/function.hpp"

namespace plimsoll::model {

/// The languages that a function can be written in.
enum class FormulaStyle { text, latex, python, c };
[[nodiscard]] constexpr std::array<EnumName<FormulaStyle>, 4> enum_names(FormulaStyle) {
    return {{{FormulaStyle::text, "text"},
             {FormulaStyle::latex, "latex"},
             {FormulaStyle::python, "python"},
             {FormulaStyle::c, "c"}}};
}

/// Digits of the numbers in a formula.
enum class FormulaDigits {
    exact,  ///< as many as it takes to read the same number back (LaTeX: four)
    four    ///< for a table
};

/// A function as a formula of the parameters' names: `1.25 + 0.5 * p^(1/2) * log2(p)`.
///
/// Numbers read back exactly, except in LaTeX, which has four digits. In Python and C, names that are no
/// identifiers, or would become the same one, get underscores; Python needs `import math`, C `#include
/// <math.h>`.
[[nodiscard]] std::string formula(const Function& function, std::span<const std::string> parameters,
                                  FormulaStyle style = FormulaStyle::text,
                                  FormulaDigits digits = FormulaDigits::exact);

/// Asymptotic growth: the terms that no other one outgrows in every parameter, without coefficients; `1` for
/// a function that stays bounded. Of a piecewise function that of its last segment.
[[nodiscard]] std::string growth(const Function& function, std::span<const std::string> parameters);

}  // namespace plimsoll::model
