#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

namespace plimsoll::profile::detail {

/// Bytes that a line of a profiler's text has at most.
constexpr std::size_t longest_line = std::size_t{1} << 20U;

/// What a message shows of a text that may be long.
[[nodiscard]] inline std::string_view excerpt(std::string_view text) { return text.substr(0, 40); }

/// The number that a text was read as. Where it is none, or not finite, it calls `fail` with what is wrong,
/// which throws.
template <class Fail>
[[nodiscard]] double finite_number(std::optional<double> number, std::string_view text, const Fail& fail) {
    if (!number) fail(fmt::format("'{}' is no number", excerpt(text)));
    if (!std::isfinite(*number)) fail(fmt::format("{} is no finite number", excerpt(text)));
    return *number;
}

}  // namespace plimsoll::profile::detail
