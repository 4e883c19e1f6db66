#pragma once

#include <string>
#include <string_view>

namespace plimsoll::experiment::detail {

/// A piece of an input for a message: at most 40 bytes on one line, `?` in place of what cannot be printed.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace plimsoll::experiment::detail
