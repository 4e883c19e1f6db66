#pragma once

#include <optional>
#include <string_view>

#include "plimsoll/core/seconds.hpp"

namespace plimsoll::measure {

/// "500ms", "60s", "5min", "2h", "1d"; empty where it is none, or not positive. A plain number is none: a
/// span of time carries its unit.
[[nodiscard]] std::optional<Seconds> parse_duration(std::string_view text);

}  // namespace plimsoll::measure
