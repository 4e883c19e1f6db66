#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

/// "4GB", "512 MiB", "100kB": bytes, by powers of 1000, or of 1024 with an `i`. Empty where it is none, or
/// negative. A plain number is none: a size carries its unit (`B` at least).
[[nodiscard]] std::optional<std::int64_t> parse_byte_size(std::string_view text);

/// "3.9 MB": three digits at most, by powers of 1000.
[[nodiscard]] std::string byte_size_text(double bytes);

}  // namespace plimsoll
