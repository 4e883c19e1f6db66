#pragma once

#include <array>
#include <string_view>

#include "plimsoll/core/options.hpp"

namespace plimsoll::model {

/// What the exponent of an exponential law is proportional to.
enum class LawArgument { root, over_log, linear, times_log, square };
[[nodiscard]] constexpr std::array<EnumName<LawArgument>, 5> enum_names(LawArgument) {
    return {{{LawArgument::root, "x^(1/2)"},
             {LawArgument::over_log, "x/log2(x)"},
             {LawArgument::linear, "x"},
             {LawArgument::times_log, "x*log2(x)"},
             {LawArgument::square, "x^2"}}};
}

enum class LawKind {
    none,         ///< the factor 1
    exponential,  ///< 2^(rate * argument(x))
    factorial     ///< x!, between whole numbers by the gamma function
};

[[nodiscard]] constexpr std::array<EnumName<LawKind>, 3> enum_names(LawKind) {
    return {
        {{LawKind::none, "none"}, {LawKind::exponential, "exponential"}, {LawKind::factorial, "factorial"}}};
}

/// A function of one parameter that outgrows every power: sampling all states, trying all orders.
struct Law {
    LawKind kind = LawKind::none;
    double rate = 0.0;  ///< of an exponential law
    LawArgument of = LawArgument::linear;

    [[nodiscard]] bool is_there() const { return kind != LawKind::none; }
};

/// The argument of an exponential law at x; infinite or not a number where it has none.
[[nodiscard]] double argument_at(LawArgument argument, double x);

/// ln of a law at x: the law itself may be beyond all numbers.
[[nodiscard]] double log_value(const Law& law, double x);

/// Whether one law finally outgrows the other: below 0 if the first is slower, 0 if they grow alike.
[[nodiscard]] int compare_growth(const Law& a, const Law& b);

}  // namespace plimsoll::model
