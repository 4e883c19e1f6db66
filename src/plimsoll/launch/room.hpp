#pragma once

namespace plimsoll::launch {

/// What programs that we start may take of this machine, all of them together: what it has, and what our
/// affinity and the control groups that we are in leave of it, be they of version 1 or 2.
struct Room {
    unsigned processors = 1;    ///< whole ones; at least one
    double memory_bytes = 0.0;  ///< of the machine, or of the tightest control group
};

[[nodiscard]] Room room_here();

}  // namespace plimsoll::launch
