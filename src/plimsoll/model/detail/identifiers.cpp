#include "plimsoll/model/detail/identifiers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::model::detail {

namespace {

// Keywords of Python 3 and of C, and the functions and modules that formulas use.
constexpr std::array<std::string_view, 73> taken{
    "False",    "None",   "True",     "and",      "as",     "assert",   "async",  "auto",     "await",
    "break",    "case",   "char",     "class",    "const",  "continue", "def",    "default",  "del",
    "do",       "double", "elif",     "else",     "enum",   "except",   "extern", "finally",  "float",
    "for",      "from",   "global",   "goto",     "if",     "import",   "in",     "inline",   "int",
    "is",       "lambda", "log2",     "long",     "math",   "nonlocal", "not",    "or",       "pass",
    "pow",      "raise",  "register", "restrict", "return", "short",    "signed", "sizeof",   "static",
    "struct",   "switch", "try",      "typedef",  "union",  "unsigned", "void",   "volatile", "while",
    "with",     "yield",  "match",    "type",     "bool",   "true",     "false",  "nullptr",  "typeof",
    "constexpr"};

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_among(std::string_view name, std::span<const std::string> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> identifiers(std::span<const std::string> names) {
    std::vector<std::string> result;
    for (const std::string& name : names) {
        std::string clean;
        for (const char c : name) clean.push_back(is_letter_or_digit(c) ? c : '_');
        if (clean.empty() || (clean.front() >= '0' && clean.front() <= '9')) clean.insert(0, "_");
        while (std::find(taken.begin(), taken.end(), clean) != taken.end() || is_among(clean, result))
            clean += '_';
        result.push_back(std::move(clean));
    }
    return result;
}

}  // namespace plimsoll::model::detail
