#include "plimsoll/model/detail/posterior/axis_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "plimsoll/model/function.hpp"

namespace plimsoll::model::detail {

namespace {

struct Exponent {
    int numerator;
    int denominator;
};
constexpr std::array<Exponent, 20> exponents{{{0, 1}, {1, 4}, {1, 3}, {1, 2}, {2, 3},  {3, 4}, {4, 5},
                                              {1, 1}, {5, 4}, {4, 3}, {3, 2}, {5, 3},  {7, 4}, {2, 1},
                                              {9, 4}, {7, 3}, {5, 2}, {8, 3}, {11, 4}, {3, 1}}};

/// Work divided among processes (1/p), surfaces of their parts (2/3, 1/2, 1/3), and what both leave to a
/// tree.
std::vector<AxisFunction> falling_forms() {
    return {{Rational(-1), Rational(0)},    {Rational(-1, 2), Rational(0)}, {Rational(-2, 3), Rational(0)},
            {Rational(-1, 3), Rational(0)}, {Rational(-2), Rational(0)},    {Rational(-1), Rational(1)}};
}

std::vector<AxisFunction> make_functions() {
    std::vector<AxisFunction> functions;
    for (const Exponent& e : exponents) {
        for (int logarithms = 0; logarithms <= 2; ++logarithms) {
            if (e.numerator == 0 && logarithms == 0) continue;
            functions.push_back({Rational(e.numerator, e.denominator), Rational(logarithms)});
        }
    }
    for (const AxisFunction& f : falling_forms()) functions.push_back(f);
    return functions;
}

struct Lists {
    std::vector<AxisFunction> functions = make_functions();
    std::vector<FunctionId> rising;
    std::vector<FunctionId> falling;
    std::vector<FunctionId> common;

    Lists() {
        const std::size_t rising_count = functions.size() - falling_forms().size();
        for (std::size_t f = 0; f < functions.size(); ++f) {
            (f < rising_count ? rising : falling).push_back(static_cast<FunctionId>(f));
        }
        constexpr std::array<std::array<int, 3>, 14> often{{{1, 1, 0},
                                                            {0, 1, 1},
                                                            {1, 2, 0},
                                                            {2, 1, 0},
                                                            {1, 1, 1},
                                                            {3, 2, 0},
                                                            {1, 3, 0},
                                                            {2, 3, 0},
                                                            {0, 1, 2},
                                                            {1, 4, 0},
                                                            {1, 2, 1},
                                                            {4, 3, 0},
                                                            {3, 4, 0},
                                                            {5, 4, 0}}};
        for (const auto& [numerator, denominator, logarithms] : often) {
            const Rational exponent(numerator, denominator);
            const Rational log_exponent(logarithms);
            for (std::size_t f = 0; f < functions.size(); ++f) {
                const bool is_it =
                    functions[f].exponent == exponent && functions[f].log_exponent == log_exponent;
                if (is_it) common.push_back(static_cast<FunctionId>(f));
            }
        }
    }
};

const Lists& lists() {
    static const Lists all;
    return all;
}

}  // namespace

std::span<const AxisFunction> axis_functions() { return lists().functions; }
std::span<const FunctionId> rising_functions() { return lists().rising; }
std::span<const FunctionId> falling_functions() { return lists().falling; }
std::span<const FunctionId> common_functions() { return lists().common; }

AxisTable::AxisTable(std::span<const double> coordinates, std::size_t axis, std::optional<double> middle)
    : axis_(axis), columns_(axis_functions().size()), scales_(axis_functions().size(), 1.0) {
    const std::set<double> distinct(coordinates.begin(), coordinates.end());
    if (distinct.empty()) return;
    smallest_ = *distinct.begin();
    dropped_logarithms_ = smallest_ < 1.0;
    if (distinct.size() < 2 || smallest_ < 0.0) return;
    if (smallest_ > 0.0) {
        double sum = 0.0;
        for (const double x : distinct) sum += std::log(x);
        middle_ = middle.value_or(std::exp(sum / static_cast<double>(distinct.size())));
    }
    for (std::size_t f = 0; f < columns_.size(); ++f) {
        const AxisFunction& function = axis_functions()[f];
        if (!function.log_exponent.is_zero() && dropped_logarithms_) continue;
        if (function.exponent.numerator() < 0 && smallest_ <= 0.0) continue;
        std::vector<double> column;
        column.reserve(coordinates.size());
        for (const double x : coordinates) {
            column.push_back(power_log(x, function.exponent, function.log_exponent));
        }
        const double largest = *std::max_element(column.begin(), column.end());
        if (!std::isfinite(largest) || largest < 1e-300) continue;
        for (double& value : column) value /= largest;
        columns_[f] = std::move(column);
        scales_[f] = largest;
    }
}

}  // namespace plimsoll::model::detail
