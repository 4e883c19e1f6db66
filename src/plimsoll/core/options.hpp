#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plimsoll {

/// Limits of a number, both ends included.
template <class Number>
struct Between {
    Number lowest;
    Number highest;
};
template <class Number>
Between(Number, Number) -> Between<Number>;

/// Limits of a share that a person may write in per cent.
struct Shares {
    double lowest;
    double highest;
};

/// A share that a person writes in per cent: `5%` is 0.05.
struct Percent {
    double share = 0.0;
};

/// What is off unless it is asked for: `--laws`, without a value.
struct Switch {
    bool on = false;
};

/// One name of an enumerator.
template <class Enum>
struct EnumName {
    Enum value;
    std::string_view name;
};

/// An enum whose names stand in one table beside it: a function `enum_names(Enum)`, found by its argument,
/// that returns an array of EnumName.
template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
    enum_names(value)[0].name;
};

/// The name of an enumerator.
template <NamedEnum Enum>
[[nodiscard]] std::string_view enum_name(Enum value) {
    for (const auto& entry : enum_names(value)) {
        if (entry.value == value) return entry.name;
    }
    return "unknown";
}

// Options are declared once, by a function `describe(Options&, Visitor&&)` beside the struct, which calls
//     option(name, member, help)
//     option(name, member, help, Between{lowest, highest})
// for each member. Flags, the JSON record of a run and the reference page are visitors of it.

}  // namespace plimsoll
