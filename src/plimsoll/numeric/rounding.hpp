#pragma once

namespace plimsoll::numeric {

/// The number with this many significant decimal digits (1 to 15) that is nearest to `value`, to rounding; so
/// its shortest text has no more. Values that are not finite, or nearly under- or overflow, stay as they are.
[[nodiscard]] double round_to_digits(double value, int digits);

}  // namespace plimsoll::numeric
