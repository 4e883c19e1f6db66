#include "plimsoll/model/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace plimsoll::model {
namespace {

const std::vector<std::string> names{"p", "n"};

Factor factor(std::size_t parameter, Rational exponent, Rational log_exponent = 0) {
    return {.parameter = parameter, .exponent = exponent, .log_exponent = log_exponent};
}

Function sum(double constant, std::vector<Term> terms) {
    return {.constant = constant, .terms = std::move(terms)};
}

Function term(double coefficient, std::vector<Factor> factors) {
    return sum(0.0, {{.coefficient = coefficient, .factors = std::move(factors)}});
}

Function piecewise() {
    return {.segments = {
                {.to = 10.5, .function = term(2.0, {factor(0, 1)})},
                {.from = 10.5, .function = sum(1.0, {{.coefficient = -0.5, .factors = {factor(0, 0, 1)}}})}}};
}

struct Written {
    Function function;
    std::string text;
    std::string latex;
    std::string python;
    std::string c;
};

TEST(Formula, IsWrittenInEachLanguage) {
    const std::vector<Written> cases{
        {sum(0.0, {}), "0", "$0$", "0", "0"},
        {sum(1.25, {}), "1.25", "$1.25$", "1.25", "1.25"},
        {sum(1.25, {{.coefficient = 0.5, .factors = {factor(0, Rational(1, 2), 1)}}}),
         "1.25 + 0.5 * p^(1/2) * log2(p)", "$1.25 + 0.5 \\cdot p^{1/2} \\cdot \\log_2(p)$",
         "1.25 + 0.5 * p**(1/2) * math.log2(p)", "1.25 + 0.5 * pow(p, 1.0 / 2) * log2(p)"},
        // A coefficient of 1 is left out, a sign joins the sum.
        {term(1.0, {factor(0, 2)}), "p^2", "$p^{2}$", "p**(2)", "pow(p, 2.0)"},
        {term(-1.0, {factor(0, 1)}), "-p", "$-p$", "-p", "-p"},
        {sum(-3.0, {{.coefficient = -1.0, .factors = {factor(0, 1)}},
                    {.coefficient = 1.0, .factors = {factor(1, 1)}}}),
         "-3 - p + n", "$-3 - p + n$", "-3 - p + n", "-3 - p + n"},
        {sum(2.0, {{.coefficient = -0.25, .factors = {factor(0, 1), factor(1, Rational(-3, 2))}}}),
         "2 - 0.25 * p * n^(-3/2)", "$2 - 0.25 \\cdot p \\cdot n^{-3/2}$", "2 - 0.25 * p * n**(-3/2)",
         "2 - 0.25 * p * pow(n, -3.0 / 2)"},
        {term(3.0, {factor(0, 0, 2)}), "3 * log2(p)^2", "$3 \\cdot \\log_2(p)^{2}$", "3 * math.log2(p)**(2)",
         "3 * pow(log2(p), 2.0)"},
        {term(3.0, {factor(0, -1)}), "3 * p^(-1)", "$3 \\cdot p^{-1}$", "3 * p**(-1)", "3 * pow(p, -1.0)"},
        {sum(0.0, {{.coefficient = 2.0, .factors = {}}}), "2 * 1", "$2 \\cdot 1$", "2 * 1", "2 * 1"},
        {term(1.7867e-16, {factor(1, 3)}), "1.7867e-16 * n^3", "$1.787 \\cdot 10^{-16} \\cdot n^{3}$",
         "1.7867e-16 * n**(3)", "1.7867e-16 * pow(n, 3.0)"},
        {piecewise(), "{2 * p for p <= 10.5; 1 - 0.5 * log2(p) for p > 10.5}",
         "$\\begin{cases} 2 \\cdot p & p \\le 10.5 \\\\ 1 - 0.5 \\cdot \\log_2(p) & p > 10.5 \\end{cases}$",
         "((2 * p) if p <= 10.5 else 1 - 0.5 * math.log2(p))", "(p <= 10.5 ? 2 * p : 1 - 0.5 * log2(p))"},
        {sum(7.0, {{.coefficient = 4.0,
                    .factors = {{.parameter = 0, .segments = piecewise().segments}, factor(1, 1)}}}),
         "7 + 4 * {2 * p for p <= 10.5; 1 - 0.5 * log2(p) for p > 10.5} * n",
         "$7 + 4 \\cdot \\begin{cases} 2 \\cdot p & p \\le 10.5 \\\\ 1 - 0.5 \\cdot \\log_2(p) & p > 10.5 "
         "\\end{cases} "
         "\\cdot n$",
         "7 + 4 * ((2 * p) if p <= 10.5 else 1 - 0.5 * math.log2(p)) * n",
         "7 + 4 * (p <= 10.5 ? 2 * p : 1 - 0.5 * log2(p)) * n"},
    };
    for (const Written& written : cases) {
        EXPECT_EQ(formula(written.function, names), written.text);
        EXPECT_EQ(formula(written.function, names, FormulaStyle::latex), written.latex);
        EXPECT_EQ(formula(written.function, names, FormulaStyle::python), written.python);
        EXPECT_EQ(formula(written.function, names, FormulaStyle::c), written.c);
    }
}

TEST(Formula, HoldsNumbersThatReadBackExactly) {
    for (const double value : {0.1, 1.0 / 3.0, 1e-300, 123456789.123456789, 1e22, 5e-324}) {
        for (const FormulaStyle style : {FormulaStyle::text, FormulaStyle::python, FormulaStyle::c}) {
            EXPECT_EQ(std::strtod(formula(sum(value, {}), names, style).c_str(), nullptr), value);
        }
    }
}

TEST(Formula, HasFourDigitsForATable) {
    const Function function = sum(1.0 / 3.0, {{.coefficient = 123456.0, .factors = {factor(0, 1)}}});
    EXPECT_EQ(formula(function, names, FormulaStyle::text, FormulaDigits::four), "0.3333 + 1.235e+05 * p");
    EXPECT_EQ(formula(function, names, FormulaStyle::latex), "$0.3333 + 1.235 \\cdot 10^{5} \\cdot p$");
}

TEST(Formula, WritesAllSegmentsOfMoreThanTwo) {
    const Function function{.segments = {{.to = 1.0, .function = sum(1.0, {})},
                                         {.from = 1.0, .to = 2.0, .function = sum(2.0, {})},
                                         {.from = 2.0, .function = sum(3.0, {})}}};
    EXPECT_EQ(formula(function, names), "{1 for p <= 1; 2 for p <= 2; 3 for p > 2}");
    EXPECT_EQ(formula(function, names, FormulaStyle::python), "((1) if p <= 1 else (2) if p <= 2 else 3)");
    EXPECT_EQ(formula(function, names, FormulaStyle::c), "(p <= 1 ? 1 : p <= 2 ? 2 : 3)");
}

TEST(Formula, MakesIdentifiersOfNamesForProgramsOnly) {
    const std::vector<std::string> odd{"problem size", "2nd", "lambda", "größe", ""};
    const auto written = [&](std::size_t parameter, FormulaStyle style) {
        return formula(term(1.0, {factor(parameter, 1)}), odd, style);
    };
    EXPECT_EQ(written(0, FormulaStyle::text), "problem size");
    EXPECT_EQ(written(0, FormulaStyle::python), "problem_size");
    EXPECT_EQ(written(1, FormulaStyle::c), "_2nd");
    EXPECT_EQ(written(2, FormulaStyle::python), "lambda_") << "a word of the language is no name";
    EXPECT_EQ(written(2, FormulaStyle::text), "lambda");
    EXPECT_EQ(written(3, FormulaStyle::text), "größe");
    EXPECT_EQ(written(3, FormulaStyle::c), "gr____e");
    EXPECT_EQ(written(4, FormulaStyle::python), "_");
}

TEST(Formula, KeepsNamesApartThatWouldBecomeOneIdentifier) {
    const std::vector<std::string> alike{"a b", "a_b", "a-b"};
    const Function function = term(1.0, {factor(0, 1), factor(1, 1), factor(2, 1)});
    EXPECT_EQ(formula(function, alike, FormulaStyle::python), "a_b * a_b_ * a_b__");
    EXPECT_EQ(formula(function, alike), "a b * a_b * a-b");
}

TEST(Formula, WritesExponentsOffTheListAsDecimals) {
    const Function free =
        term(2.0, {factor(0, Rational(2705259, 1000000)), factor(1, Rational(-389, 500000))});
    EXPECT_EQ(formula(free, names), "2 * p^2.705259 * n^(-0.000778)");
    EXPECT_EQ(formula(free, names, FormulaStyle::text, FormulaDigits::four), "2 * p^2.705 * n^(-0.000778)");
    EXPECT_EQ(formula(free, names, FormulaStyle::latex), "$2 \\cdot p^{2.705} \\cdot n^{-0.000778}$");
    EXPECT_EQ(formula(free, names, FormulaStyle::python), "2 * p**(2.705259) * n**(-0.000778)");
    EXPECT_EQ(formula(free, names, FormulaStyle::c), "2 * pow(p, 2.705259) * pow(n, -0.000778)");
}

TEST(Formula, EscapesNamesInLatex) {
    const std::vector<std::string> odd{"mesh_size", "50%", "a b", "x^2", "c:\\d"};
    const auto written = [&](std::size_t parameter) {
        return formula(term(1.0, {factor(parameter, 1)}), odd, FormulaStyle::latex);
    };
    EXPECT_EQ(written(0), "$\\mathit{mesh\\_size}$");
    EXPECT_EQ(written(1), "$\\mathit{50\\%}$");
    EXPECT_EQ(written(2), "$\\mathit{a\\ b}$");
    EXPECT_EQ(written(3), "$\\mathit{x\\wedge 2}$");
    EXPECT_EQ(written(4), "$\\mathit{c:\\backslash d}$");
}

TEST(Growth, IsTheTermThatOutgrowsTheOthers) {
    const auto grown = [](std::vector<Factor> a, std::vector<Factor> b) {
        return growth(sum(5.0, {{.coefficient = 1e9, .factors = std::move(a)},
                                {.coefficient = 1e-9, .factors = std::move(b)}}),
                      names);
    };
    // The power decides first, then the logarithm; coefficients never do.
    EXPECT_EQ(grown({factor(0, 1)}, {factor(0, 2)}), "p^2");
    EXPECT_EQ(grown({factor(0, 1, 2)}, {factor(0, Rational(4, 3))}), "p^(4/3)");
    EXPECT_EQ(grown({factor(0, 1)}, {factor(0, 1, 1)}), "p * log2(p)");
    EXPECT_EQ(grown({factor(0, 1)}, {factor(0, 1), factor(1, 1)}), "p * n");
}

TEST(Growth, KeepsTermsThatDoNotOutgrowEachOther) {
    const Function both = sum(1.0, {{.coefficient = 1.0, .factors = {factor(0, 1)}},
                                    {.coefficient = 1.0, .factors = {factor(1, 1)}},
                                    {.coefficient = 1.0, .factors = {factor(1, Rational(1, 2))}}});
    EXPECT_EQ(growth(both, names), "p + n");
    const Function falls_with_p = sum(1.0, {{.coefficient = 1.0, .factors = {factor(0, -1), factor(1, 1)}}});
    EXPECT_EQ(growth(falls_with_p, names), "1 + p^(-1) * n") << "the constant is left where p is large";
}

TEST(Growth, IsOneWhereTheFunctionStaysBounded) {
    EXPECT_EQ(growth(sum(3.0, {}), names), "1");
    EXPECT_EQ(growth(term(1.0, {factor(0, -1)}), names), "1");
    EXPECT_EQ(growth(term(1.0, {factor(0, 0, -1)}), names), "1");
    EXPECT_EQ(growth(term(0.0, {factor(0, 2)}), names), "1") << "a term without weight does not grow";
}

TEST(Growth, OfAPiecewiseFunctionIsThatOfItsLastSegment) {
    EXPECT_EQ(growth(piecewise(), names), "log2(p)");
    const Function product = term(1.0, {{.parameter = 0, .segments = piecewise().segments}, factor(1, 2)});
    EXPECT_EQ(growth(product, names), "log2(p) * n^2");
}

}  // namespace
}  // namespace plimsoll::model
