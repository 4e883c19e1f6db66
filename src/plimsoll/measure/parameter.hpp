#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::measure {

/// A value of a parameter, and how programs are told it.
struct Value {
    double number = 0.0;
    std::string text;
};

/// A parameter with the values that it takes.
struct ParameterValues {
    std::string name;
    std::vector<Value> values;
};

/// Understands `n=1000,2000`, `p=1..16*2` (1, 2, 4, 8, 16), `n=100..500+100` and any of them in a row.
/// Throws a usage error.
[[nodiscard]] ParameterValues parse_parameter(std::string_view text);

/// Throws a usage error where a parameter cannot have this name.
void check_parameter_name(std::string_view name);

}  // namespace plimsoll::measure
