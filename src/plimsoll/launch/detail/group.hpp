#pragma once

#include <sys/types.h>

namespace plimsoll::launch::detail {

/// Whether a process of the group runs, zombies left aside. Looks through /proc: a millisecond or so.
[[nodiscard]] bool any_running(pid_t group);

}  // namespace plimsoll::launch::detail
