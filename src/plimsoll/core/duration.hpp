#pragma once

#include <optional>
#include <string_view>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll {

/// A hundred years of 365 days. Clocks count nanoseconds in 64 bits, which are full after 292 years.
inline constexpr Seconds longest_duration{100.0 * 365.0 * 86400.0};

/// "500ms", "60s", "5min", "2h", "1d"; empty where it is none, not positive, or longer than
/// `longest_duration`. A plain number is none: a span of time carries its unit.
[[nodiscard]] std::optional<Seconds> parse_duration(std::string_view text);

/// The same of a flag's text. Throws a usage error that names the flag.
[[nodiscard]] Seconds duration_of(std::string_view flag, std::string_view text);

}  // namespace plimsoll
