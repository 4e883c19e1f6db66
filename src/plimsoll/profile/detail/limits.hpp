#pragma once

#include <cstddef>

namespace plimsoll::profile::detail {

/// How deep a call tree is followed: paths repeat the names of all callers, so that memory grows with the
/// square of the depth.
inline constexpr std::size_t most_levels = 1000;

}  // namespace plimsoll::profile::detail
