// Values that several verbs of `campaign` take, as they are written on the command line.
#include <fmt/format.h>

#include "app/campaign/verbs.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/duration.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

double seconds_of(const char* flag, const std::string& text, double otherwise) {
    return text.empty() ? otherwise : duration_of(flag, text).count();
}

std::pair<std::string, std::string> assignment(const char* flag, const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Error(ErrorKind::usage, fmt::format("{}: '{}' is no assignment", flag, text),
                    fmt::format("write {} NAME=VALUE", flag));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void set_amounts(campaign::Resources& resources, const std::string& memory,
                 const std::vector<std::string>& assignments) {
    if (!memory.empty()) {
        const auto bytes = parse_byte_size(memory);
        if (!bytes)
            throw Error(ErrorKind::usage, fmt::format("--mem: '{}' is no size", memory),
                        "write a number with its unit, such as 4GB");
        resources.set("memory", static_cast<double>(*bytes));
    }
    for (const std::string& text : assignments) {
        const auto [name, amount] = assignment("--resource", text);
        const auto number = parse_number(amount);
        if (!number)
            throw Error(ErrorKind::usage, fmt::format("--resource: '{}' is no amount", amount),
                        "write --resource NAME=NUMBER");
        resources.set(name, *number);
    }
}

}  // namespace plimsoll::app
