#include "plimsoll/core/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace plimsoll {

std::string_view name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage: return "usage";
        case ErrorKind::input: return "input";
        case ErrorKind::environment: return "environment";
        case ErrorKind::internal: break;
    }
    return "internal";
}

int exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
        case ErrorKind::input: return 2;
        case ErrorKind::environment: return 3;
        case ErrorKind::internal: break;
    }
    return 70;
}

Error::Error(ErrorKind kind, std::string message, std::string hint)
    : kind_(kind), text_(std::move(message)), hint_(std::move(hint)) {}

Error::Error(ErrorKind kind, Place place, std::string message, std::string hint)
    : kind_(kind), place_(std::move(place)), hint_(std::move(hint)) {
    if (place_.file.empty()) {
        text_ = std::move(message);
    } else if (place_.line == 0) {
        text_ = fmt::format("{}: {}", place_.file, message);
    } else {
        text_ = fmt::format("{}:{}: {}", place_.file, place_.line, message);
    }
}

void fail_expectation(const char* condition, const char* file, int line) {
    throw Error(ErrorKind::internal, fmt::format("expectation '{}' failed at {}:{}", condition, file, line),
                "this is a bug in plimsoll: please report it with the command and its input");
}

}  // namespace plimsoll
